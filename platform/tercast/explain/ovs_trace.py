"""Parser of `ofproto/trace` output: the matching rule of the first bridge, and its actions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tercast.explain.observation import NotSeen, ObservationMeans, SwitchObservation
from tercast.tables.entries import IN_PORT, LOWEST_PRIORITY, Action, Entry, Output, SetDst

OWN_COOKIE = 0x7EC0A57E
"""The upper half of the cookie of the controller's entries; entries added by hand have none."""

SOURCE_CHECK = "0x7ec0a57e00000005"
"""The cookie of the source check; its entry of a known source starts a second lookup."""

PortNames = Mapping[tuple[str, str], str]
"""Hosts by IP and MAC address."""

_BRIDGE = re.compile(r'^bridge\("(.*)"\)$')
_RULE = re.compile(r"^0\. ")
_SET = re.compile(r"set_field:(\S+)->(ipv6_dst|ip_dst|eth_dst)$|mod_(nw_dst|dl_dst):(\S+)$")
_OUTPUT = re.compile(r"output:(\d+)$")


@dataclass(frozen=True, slots=True)
class _Line:
    depth: int
    text: str


def read_trace(output: str, names: PortNames) -> SwitchObservation:
    """Parse the observation at the first bridge of a trace. Raises `NotSeen` for other texts."""
    lines = [_Line(len(row) - len(row.lstrip(" ")), row.strip()) for row in output.splitlines()]
    start = next((i for i, line in enumerate(lines) if _is_bridge(line)), None)
    rules = [] if start is None else [i for i, line in enumerate(lines) if i > start and _is_rule(line)]
    if start is None or not rules:
        raise NotSeen(f"ofproto/trace returned unexpected output: {output.strip()[:200]!r}")
    hit = rules[1] if len(rules) > 1 and SOURCE_CHECK in lines[rules[0]].text else rules[0]
    rule = lines[hit].text[3:]
    if rule.startswith("No match"):
        return SwitchObservation(ObservationMeans.TRACE, None)
    body = list(_body(lines[hit + 1 :]))
    depth = min((line.depth for line in body if line.depth), default=0)
    steps = [line for line in body if line.depth in (0, depth) and not line.text.startswith("---")]
    return _seen(rule, steps, names)


def _body(lines: list[_Line]) -> Iterator[_Line]:
    """Yield the lines of the rule's actions, with those of other bridges.

    The bridge to which the last output leads is not indented. It ends this part, as its last line.
    """
    for line in lines:
        if line.text.startswith("Final flow:"):
            return
        if line.text:
            yield line
        if not line.depth and _is_bridge(line):
            return


def _is_bridge(line: _Line) -> bool:
    return _BRIDGE.match(line.text) is not None


def _is_rule(line: _Line) -> bool:
    return _RULE.match(line.text) is not None


def _seen(rule: str, steps: list[_Line], names: PortNames) -> SwitchObservation:
    fields = dict(_fields(rule))
    priority = int(fields.pop("priority", "32768"))
    cookie = int(fields.pop("cookie", "0"), 16) >> 32
    dst = fields.pop("ipv6_dst", None) or fields.pop("nw_dst", None)
    port = fields.pop("in_port", None)
    if priority < LOWEST_PRIORITY and cookie == OWN_COOKIE:
        return SwitchObservation(
            ObservationMeans.TRACE, None
        )  # the drop entry of a range of events: no entry matched
    rest = [name for name in fields if name not in ("ipv6", "ip")]
    foreign = cookie not in (0, OWN_COOKIE)
    if dst is None or rest:
        return SwitchObservation(ObservationMeans.TRACE, None, f"rule {rule!r}", foreign=foreign)
    actions, strange = _actions([line.text for line in steps if not _is_bridge(line)], names)
    length = "" if "/" in dst else "/128" if ":" in dst else "/32"
    entry = Entry(dst + length, None if port is None else int(port), priority, actions)
    return SwitchObservation(ObservationMeans.TRACE, entry, strange, foreign, dict(_into(steps)))


def _fields(rule: str) -> Iterator[tuple[str, str]]:
    """Parse a rule like `ipv6,in_port=3,ipv6_dst=ff0e::/16, priority 24, cookie 0x1`."""
    for part in rule.split(","):
        name, separator, value = part.strip().partition("=")
        if not separator:
            name, _, value = part.strip().partition(" ")
        yield name, value


def _actions(steps: list[str], names: PortNames) -> tuple[tuple[Action, ...], str]:
    """Convert actions to those of plans; the text lists actions that plans cannot contain."""
    found: list[Action] = []
    strange: list[str] = []
    ip = mac = target = ""
    for step in steps:
        setting, output = _SET.match(step), _OUTPUT.match(step)
        if setting is not None:
            value = setting[1] or setting[4]
            is_mac = (setting[2] or setting[3]) in ("eth_dst", "dl_dst")
            ip, mac = (ip, value.lower()) if is_mac else (value, mac)
        elif output is not None or step == "IN_PORT":
            if (ip or mac) and target != f"{ip} {mac}":
                target = f"{ip} {mac}"
                found.append(SetDst(names.get((ip, mac), target)))
            found.append(Output(int(output[1])) if output is not None else Output(IN_PORT))
        elif step != "drop" and not step.startswith(">>"):
            strange.append(step)
    return tuple(found), ", ".join(strange)


def _into(steps: list[_Line]) -> Iterator[tuple[int, str]]:
    """Yield (port, bridge) for each output directly to another bridge, over a patch port."""
    port: int | None = None
    for line in steps:
        output, bridge = _OUTPUT.match(line.text), _BRIDGE.match(line.text)
        if bridge is not None and port is not None:
            yield port, bridge[1]
        port = int(output[1]) if output is not None else None
