"""Text form of an explanation; the input is the JSON form of the API or the command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Json = Mapping[str, Any]


def lines(answer: Json) -> Iterator[str]:
    """Yield the lines of the whole explanation."""
    event = answer["event"]
    yield from _event(event)
    if answer["tree"] is not None:
        yield f"tree     {answer['tree']}"
    yield ""
    yield from _path(answer)
    for title, key in (("received by:", "received"), ("not received by:", "not_received")):
        yield ""
        yield title
        for row in answer[key]:
            yield from _verdict(row)
        if not answer[key]:
            yield "  no host" if key == "received" else "  every host receives it"
    if answer.get("real") is not None:
        yield ""
        yield from _real(answer["real"])


def _event(event: Json) -> Iterator[str]:
    values = json.dumps(event["values"], ensure_ascii=False)
    at = "not attached" if event["switch"] is None else f"at port {event['port']} of {event['switch']}"
    who = event["advertisement"] or "no advertisement"
    owner = "" if event["publisher"] is None else f"publisher {event['publisher']}, "
    yield f"event    {values} of topic {event['topic']}"
    yield f"from     {owner}{who}, host {event['host']}, {at}"
    for number, cut in enumerate(event["cuts"]):
        test = f"{cut['attribute']} < {json.dumps(cut['value'], ensure_ascii=False)}"
        yield f"{'cuts' if number == 0 else '':<9}{test}: {'yes' if cut['less'] else 'no'}"
    yield f"dz       {event['dz']}"
    yield f"address  {event['address']}"


def _path(answer: Json) -> Iterator[str]:
    problem = answer["event"]["problem"]
    if problem is not None:
        yield f"the event is not sent: {problem}"
    elif not answer["path"]:
        yield "the event is not sent: its host is not attached to a working switch port"
    else:
        yield "path:"
    for hop in answer["path"]:
        yield f"  [{hop['hop']}] {hop['switch']}, from port {hop['in_port']}: {_entry(hop)}"
        for output in hop["outputs"]:
            yield f"        -> {_output(output)}"
    if answer["loops"]:
        yield "  the event enters a loop"


def _entry(hop: Json) -> str:
    entry = hop["entry"]
    if entry is None:
        return "no entry, dropped"
    where = "" if entry["in_port"] is None else f" from port {entry['in_port']}"
    origin = hop["origin"]
    names = _names(origin, "subscriptions")
    owners = f" for {names}" if names else ""
    drops = "" if entry["actions"] else ", drops"
    return f"{entry['dst']}{where}, priority {entry['priority']}{drops} ({_ORIGINS[origin['kind']]}{owners})"


def _output(output: Json) -> str:
    if output["problem"]:
        return f"port {output['port']}: {output['problem']}"
    if output["host"] is not None:
        place = f"host {output['host']} at port {output['port']}"
    else:
        place = f"port {output['port']} to {output['next_switch']}"
        if output["next_hop"] is not None:
            place += f" [{output['next_hop']}]"
    matching, truncated = _names(output, "matching"), _names(output, "truncated")
    if matching:
        return f"{place}, for {matching}"
    return f"{place}, for {f'the cells of {truncated}, not the filter' if truncated else 'no subscription'}"


def _verdict(row: Json) -> Iterator[str]:
    copies = f" ({row['copies']} copies)" if row["copies"] > 1 else ""
    yield f"  {row['host']}{copies}: {row['reason']}; {row['detail']}"
    for answer in row["subscriptions"]:
        owner = "" if answer["subscriber"] is None else f" of {answer['subscriber']}"
        yield f"      {answer['subscription']}{owner}: {answer['reason']}; {answer['filter'] or 'true'}"
    more = row["subscriptions_count"] - len(row["subscriptions"])
    if more:
        yield f"      and {more} more"


def _real(real: Json) -> Iterator[str]:
    means = {hop["means"] for hop in real["path"] if hop["means"] is not None}
    how = " and ".join(word for mean, word in _MEANS.items() if mean in means)
    yield f"on the switches: {_SAME[real['same']]}" + (f" ({how})" if how else "")
    for row in real["differences"]:
        yield f"  {row['kind']} at {row['switch']}, from port {row['in_port']}: {row['detail']}"
    for row in real["lost"]:
        because = "" if row["at_switch"] is None else f", because of switch {row['at_switch']}"
        yield f"  {row['host']} does not receive it{because}"
    for host in real["surplus"]:
        yield f"  {host} receives it unexpectedly"
    for row in real["not_seen"]:
        yield f"  {row['switch']} could not be checked: {row['detail']}"


_ORIGINS = {"exact": "exact entry", "aggregated": "merged entry", "unplanned": "not in the plan"}
_SAME = {True: "as expected", False: "different", None: "as expected; some could not be checked"}
_MEANS = {"trace": "traced", "read_back": "entries read back"}


def _names(row: Json, key: str) -> str:
    names = row[key]
    more = row[f"{key}_count"] - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
