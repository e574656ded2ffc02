"""Messages as bytes: an independent parser reads them, and they are read back unchanged."""

from __future__ import annotations

import ipaddress
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app import ryu_api
from controller_app.openflow import bundles, flow_mods, messages, oxm
from controller_app.openflow.flow_entry import (
    MAX_PORT,
    RANGES,
    FlowEntry,
    FlowKey,
    OutputAction,
    Prefix,
    SetDestination,
)
from controller_app.programming import flow_mod_delivery
from controller_app.programming.entry_reader import EntryReader
from controller_app.switch import flow_stats
from tercast.errors import Refused

parser = ryu_api.ofproto_v1_3_parser
DATAPATH = SimpleNamespace(ofproto=ryu_api.ofproto_v1_3, ofproto_parser=parser)

ports = st.integers(1, MAX_PORT)
macs = st.binary(min_size=6, max_size=6).map(lambda mac: bytes((mac[0] & 0xFC | 2,)) + mac[1:])


@st.composite
def prefixes(draw) -> Prefix:
    """Draw a prefix within the ranges of either family."""
    outer = RANGES[draw(st.sampled_from(("ipv6", "ipv4")))]
    width = 8 * len(outer.address)
    length = draw(st.integers(outer.length, width))
    below = draw(st.integers(0, (1 << length - outer.length) - 1)) << width - length
    return Prefix((int.from_bytes(outer.address, "big") | below).to_bytes(width // 8, "big"), length)


keys = st.builds(FlowKey, prefixes(), st.none() | ports, st.integers(2, 60000))


@st.composite
def entries(draw) -> FlowEntry:
    key = draw(keys)
    size = len(key.dst.address)
    hosts = st.binary(min_size=size, max_size=size).map(lambda ip: b"\x0a" + ip[1:])
    outputs = st.builds(OutputAction, st.none() | ports)
    groups = st.tuples(st.builds(SetDestination, hosts, macs), outputs) | st.tuples(outputs)
    return FlowEntry(key, tuple(action for group in draw(st.lists(groups, max_size=6)) for action in group))


def parsed(message: messages.OpenFlowMessage, xid: int = 7):
    """Return the message as Ryu's parser for flow-mods reads it."""
    frame = message.frame(xid)
    return parser.OFPFlowMod.parser(DATAPATH, 4, 14, len(frame), xid, frame)


@given(entries())
def test_an_independent_parser_reads_an_addition(entry: FlowEntry) -> None:
    message = flow_mods.add(entry)
    frame = message.frame(7)
    assert len(frame) % 8 == 0 and int.from_bytes(frame[2:4], "big") == len(frame)
    mod = parsed(message)
    assert (mod.command, mod.priority, mod.cookie) == (0, entry.key.priority, 0x7EC0A57E00000001)
    match = dict(mod.match.items())
    address = ipaddress.ip_network(str(entry.key.dst))
    field = "ipv6_dst" if address.version == 6 else "ipv4_dst"
    full = address.prefixlen == address.max_prefixlen
    wanted = str(address.network_address) if full else (str(address.network_address), str(address.netmask))
    assert match.pop(field) == wanted
    assert match.pop("eth_type") == (0x86DD if address.version == 6 else 0x0800)
    assert match.pop("in_port", None) == entry.key.in_port
    assert not match
    assert _actions(mod) == _wanted_actions(entry)


def _actions(mod) -> list[tuple]:
    found = []
    for action in [action for instruction in mod.instructions for action in instruction.actions]:
        if isinstance(action, parser.OFPActionOutput):
            found.append(("output", action.port))
        else:
            found.append((action.key, action.value))
    return found


def _wanted_actions(entry: FlowEntry) -> list[tuple]:
    wanted = []
    for action in entry.actions:
        if isinstance(action, OutputAction):
            wanted.append(("output", 0xFFFFFFF8 if action.port is None else action.port))
        else:
            field = "ipv4_dst" if len(action.ip) == 4 else "ipv6_dst"
            wanted += [
                ("eth_dst", action.mac.hex(":")),
                (field, str(ipaddress.ip_address(action.ip))),
            ]
    return wanted


@given(entries(), st.integers(0, 0xFFFFFFFF))
def test_an_addition_has_the_bytes_of_the_frameworks_objects(entry: FlowEntry, xid: int) -> None:
    actions = [action for one in entry.actions for action in _framework_actions(one)]
    apply = [parser.OFPInstructionActions(4, actions)] if actions else []
    mod = _framework_mod(entry.key, command=0, instructions=apply)
    assert flow_mods.add(entry).frame(xid) == _serialised(mod, xid)


@pytest.mark.parametrize("family", ["ipv6", "ipv4"])
@pytest.mark.parametrize("in_port", [None, 7])
def test_every_prefix_length_has_the_bytes_of_the_frameworks_objects(
    family: str, in_port: int | None
) -> None:
    outer = RANGES[family]
    for length in range(outer.length, 8 * len(outer.address) + 1):
        key = FlowKey(Prefix(outer.address, length), in_port, 100 + length)
        mod = _framework_mod(key, command=0)
        assert flow_mods.add(FlowEntry(key, ())).frame(7) == _serialised(mod, 7)
        mod = _framework_mod(key, command=4, cookie_mask=flow_mods.DELETION_MASK)
        assert flow_mods.remove(key).frame(7) == _serialised(mod, 7)


@given(keys, st.integers(0, 0xFFFFFFFF))
def test_a_removal_has_the_bytes_of_the_frameworks_objects(key: FlowKey, xid: int) -> None:
    mod = _framework_mod(key, command=4, cookie_mask=flow_mods.DELETION_MASK)
    assert flow_mods.remove(key).frame(xid) == _serialised(mod, xid)


@given(entries() | keys, st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
def test_a_message_in_a_bundle_has_the_bytes_of_the_frameworks_objects(
    item: FlowEntry | FlowKey, bundle: int, xid: int
) -> None:
    message = flow_mod_delivery.flow_mod(item)
    inner = SimpleNamespace(xid=xid, buf=message.frame(xid), serialize=lambda: None)
    outer = parser.ONFBundleAddMsg(DATAPATH, bundle, 3, inner, [])
    assert bundles.carry(bundle, message.body, xid) == _serialised(outer, xid)


@given(st.sampled_from(bundles.BundleAction), st.integers(0, 0xFFFFFFFF))
def test_control_of_a_bundle_has_the_bytes_of_the_frameworks_objects(
    act: bundles.BundleAction, bundle: int
) -> None:
    wanted = parser.ONFBundleCtrlMsg(DATAPATH, bundle, act, 3, [])
    assert bundles.control(bundle, act).frame(9) == _serialised(wanted, 9)


def _serialised(message, xid: int) -> bytes:
    message.set_xid(xid)
    message.serialize()
    return bytes(message.buf)


def _framework_mod(key: FlowKey, **fields):
    address = ipaddress.ip_network(str(key.dst))
    wanted = {} if key.in_port is None else {"in_port": key.in_port}
    wanted["eth_type"] = 0x86DD if address.version == 6 else 0x0800
    full = address.prefixlen == address.max_prefixlen
    place = str(address.network_address) if full else (str(address.network_address), str(address.netmask))
    wanted["ipv6_dst" if address.version == 6 else "ipv4_dst"] = place
    return parser.OFPFlowMod(
        DATAPATH,
        cookie=0x7EC0A57E00000001,
        priority=key.priority,
        match=parser.OFPMatch(**wanted),
        **{"instructions": [], "out_port": 0xFFFFFFFF, "out_group": 0xFFFFFFFF, **fields},
    )


def _framework_actions(action: OutputAction | SetDestination) -> list:
    if isinstance(action, OutputAction):
        return [parser.OFPActionOutput(0xFFFFFFF8 if action.port is None else action.port, 0)]
    field = "ipv4_dst" if len(action.ip) == 4 else "ipv6_dst"
    return [
        parser.OFPActionSetField(eth_dst=action.mac.hex(":")),
        parser.OFPActionSetField(**{field: str(ipaddress.ip_address(action.ip))}),
    ]


@given(keys)
def test_a_removal_is_strict_and_limited_to_own_content_entries(key: FlowKey) -> None:
    mod = parsed(flow_mods.remove(key))
    assert (mod.command, mod.priority) == (4, key.priority)
    assert mod.cookie == 0x7EC0A57E00000001
    assert mod.cookie_mask & 0xFFFFFFFF0000FFFF == 0xFFFFFFFF0000FFFF


@given(keys)
def test_the_prerequisite_stands_before_the_destination(key: FlowKey) -> None:
    numbers = [number & 0x7F for number, _, _ in flow_stats.oxm_fields(oxm.match(key))]
    assert numbers.index(oxm.OxmField.ETH_TYPE) + 1 == len(numbers) - 1


@given(st.lists(entries(), max_size=5))
def test_flow_statistics_read_back_as_what_was_added(listed: list[FlowEntry]) -> None:
    data = b"".join(_flow_stats(entry) for entry in listed)
    flows = list(flow_stats.decode_flows(data))
    found = [
        FlowEntry(
            flow_stats.decode_key(flow.match, flow.priority), flow_stats.decode_actions(flow.instructions)
        )
        for flow in flows
    ]
    assert found == listed
    assert {(flow.packets, flow.octets) for flow in flows} <= {(3, 300)}


def _flow_stats(entry: FlowEntry) -> bytes:
    body = flow_mods.add(entry).body
    rest = body[40:]
    head = (48 + len(rest)).to_bytes(2, "big") + bytes(10) + entry.key.priority.to_bytes(2, "big")
    counters = (3).to_bytes(8, "big") + (300).to_bytes(8, "big")
    return head + bytes(10) + body[:8] + counters + rest


def test_a_full_length_prefix_with_a_mask_of_ones_is_the_same_entry() -> None:
    key = FlowKey(Prefix.parse("ff0e:4::1/128"), None, 100)
    masked = oxm.match_of(
        oxm.oxm(oxm.OxmField.ETH_TYPE, b"\x86\xdd")
        + oxm.oxm(oxm.OxmField.IPV6_DST, key.dst.address, b"\xff" * 16)
    )
    assert flow_stats.decode_key(masked, 100) == key
    assert flow_stats.oxm_fields(masked) == flow_stats.oxm_fields(oxm.match(key))


@given(st.binary(max_size=200))
def test_statistics_of_any_shape_do_not_break_the_reader(data: bytes) -> None:
    for flow in flow_stats.decode_flows(data):
        flow_stats.decode_key(flow.match, flow.priority)
    flow_stats.decode_key(data, 1)
    if len(data) >= 8:
        flow_stats.decode_actions(data)


@given(prefixes())
def test_prefixes_are_written_as_the_standard_library_writes_them(prefix: Prefix) -> None:
    assert str(prefix) == str(ipaddress.ip_network(str(prefix)))
    assert Prefix.parse(str(prefix)) == prefix


@given(st.text(max_size=30))
def test_any_text_is_a_prefix_or_refused(text: str) -> None:
    try:
        prefix = Prefix.parse(text)
    except Refused:
        return
    assert ipaddress.ip_network(text) == ipaddress.ip_network(str(prefix))


@given(entries())
def test_an_entry_reads_back_from_its_json(entry: FlowEntry) -> None:
    assert EntryReader(RANGES.values()).entry(entry.to_json()) == entry


@pytest.mark.parametrize("family", ["ipv6", "ipv4"])
def test_the_drop_entries_are_below_all_content(family: str) -> None:
    mod = parsed(flow_mods.add_drop(RANGES[family]))
    assert (mod.priority, mod.cookie, mod.instructions) == (1, 0x7EC0A57E00000002, [])


def test_discovery_frames_are_punted_whole() -> None:
    mod = parsed(flow_mods.add_lldp_punt())
    assert mod.cookie == 0x7EC0A57E00000004
    assert dict(mod.match.items()) == {"eth_dst": "01:80:c2:00:00:0e", "eth_type": 0x88CC}
    (action,) = mod.instructions[0].actions
    assert (action.port, action.max_len) == (0xFFFFFFFD, 0xFFFF)


def test_error_names_are_the_standards() -> None:
    assert ryu_api.error_names(5, 1) == ("flow_mod_failed", "table_full")
    assert ryu_api.error_names(4, 9) == ("bad_match", "bad_prereq")
    assert ryu_api.error_names(77, 99) == ("77", "99")
