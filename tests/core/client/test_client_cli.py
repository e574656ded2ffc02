"""`tercast listen` and `tercast publish` from end to end, with a scenario file and no platform."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from tercast.client.commands import main
from tercast.wire.errors import TransportClosed
from tercast.wire.framing import FrameStream
from tercast.wire.packets import EVENT_PORT, event_payload, pack_ip, pack_mac, udp_frame

TOPIC = {
    "name": "quotes",
    "code": 4,
    "attributes": [
        {"name": "low", "type": "int", "min": 0, "max": "9007199254740993"},
        {"name": "price", "type": "float", "min": -1.0, "max": 100.0},
        {"name": "on", "type": "bool"},
        {"name": "note", "type": "string"},
    ],
}
HOSTS = [
    {"id": "h1", "switch": "s1", "port": 1, "ip": "fd00::1", "mac": "02:00:00:00:00:01"},
    {"id": "h2", "switch": "s1", "port": 2, "ip": "fd00::2", "mac": "02:00:00:00:00:02"},
]
SCENARIO = {
    "format": "scenario/1",
    "topology": {"switches": [{"id": "s1", "dpid": "0000000000000001"}], "links": [], "hosts": HOSTS},
    "topics": [TOPIC],
    "requests": [
        {
            "op": "advertise",
            "id": "a1",
            "host": "h1",
            "topic": "quotes",
            "filter": "low < 512 or low > 1000000",
        },
        {"op": "subscribe", "id": "q1", "host": "h2", "topic": "quotes", "filter": "low < 100"},
        {"op": "subscribe", "id": "q2", "host": "h2", "topic": "quotes", "filter": "low > 50"},
    ],
}
EVENT = ["low=92", "price=31.333846775201351", "on=true", "note=x=y"]


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(SCENARIO))
    return str(file)


@pytest.fixture
def port():
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
        probe.bind(("::", 0))
        return str(probe.getsockname()[1])


@pytest.fixture
def start():
    """Start a command; whatever still runs at the end is ended."""
    started = []
    root = Path(__file__).parents[3] / "platform"

    def run(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "tercast.client", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root), "PYTHONIOENCODING": "utf-8"},
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def listening(start, *arguments):
    process = start("listen", *arguments)
    line = process.stderr.readline()
    assert line.startswith("listening at "), line
    return process


@pytest.mark.parametrize("ip", ["::1", "127.0.0.1"])
def test_events_go_from_publish_to_listen_over_udp(start, scenario, port, ip, tmp_path):
    if ip == "127.0.0.1":
        address = {"family": "ipv4", "prefix": "225.128.0.0/9", "topic_bits": 3}
        Path(scenario).write_text(json.dumps(SCENARIO | {"address": address}))
    listener = listening(
        start, "--scenario", scenario, "--host", "h2", "--udp", ip, "--port", port, "--json", "--count", "3"
    )
    events = tmp_path / "events.jsonl"
    lows = [92, 600, 9007199254740993, 7]
    lines = [
        {
            "publisher": "a1" if low != 600 else "a9",
            "values": {"low": low, "price": -0.0, "on": False, "note": "null"},
        }
        for low in lows
    ]
    lines[2]["values"]["low"] = "9007199254740993"
    events.write_text("\n".join(map(json.dumps, lines)) + "\n")
    way = ["--udp", ip, "--port", port, "--to", ip]
    publisher = start(
        "publish", "--scenario", scenario, *way, "--advertisement", "a1", "--file", str(events),
        "--state", str(tmp_path / "seq"),
    )  # fmt: skip
    out, err = publisher.communicate(timeout=60)
    assert (out, err, publisher.returncode) == (f"published 3 events of a1 from {ip}\n", "", 0)
    out, err = listener.communicate(timeout=60)
    *got, last = map(json.loads, out.splitlines())
    assert [(event["values"]["low"], event["subscriptions"]) for event in got] == [
        (92, ["q1", "q2"]),
        ("9007199254740993", ["q2"]),
        (7, ["q1"]),
    ]
    assert {(event["topic"], event["publisher"], event["wanted"]) for event in got} == {
        ("quotes", "a1", True)
    }
    assert str(got[0]["values"]["price"]) == "-0.0"
    assert [event["seq"] - got[0]["seq"] for event in got] == [0, 1, 2]
    assert all(event["delay_us"] == event["received_at"] - event["sent_at"] for event in got)
    assert last["counters"]["received"] == last["counters"]["wanted"] == 3
    assert listener.returncode == 0


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_listening_with_the_counters(start, scenario, port, end):
    listener = listening(
        start, "--scenario", scenario, "--topic", "quotes", "--filter", "low = 92", "--all",
        "--udp", "::1", "--port", port,
    )  # fmt: skip
    way = ["--scenario", scenario, "--udp", "::1", "--port", port, "--to", "::1", "--advertisement", "a1"]
    assert start("publish", *way, "--value", *EVENT).wait(60) == 0
    assert start("publish", *way, "--value", *EVENT, "--value", "low=3").wait(60) == 2
    assert start("publish", *way, "--count", "2", "--value", "low=3", *EVENT[1:]).wait(60) == 0
    lines = [listener.stdout.readline() for _ in range(3)]
    assert ' ms {"low": 92, "price": 31.33384677520135, "on": true, "note": "x=y"} for f1\n' in lines[0]
    assert lines[0].startswith("quotes a1 ")
    assert " ms false positive {" in lines[1] and " ms false positive {" in lines[2]
    listener.send_signal(end)
    out, err = listener.communicate(timeout=60)
    assert out == "received 3, expected 1, false positives 2, duplicates 0, delivered 3\n"
    assert (err, listener.returncode) == ("", 0)


def test_listening_ends_by_itself_after_the_time(start, scenario, port):
    listener = listening(
        start, "--scenario", scenario, "--host", "h2", "--udp", "::1", "--port", port, "--for", "0.05"
    )
    out, _ = listener.communicate(timeout=60)
    assert out.startswith("received 0, ")
    assert listener.returncode == 0


def test_counts_rates_and_times_may_be_absurd(start, scenario, port):
    listener = listening(
        start, "--scenario", scenario, "--host", "h2", "--udp", "::1", "--port", port, "--for", "1e300"
    )
    way = ["--scenario", scenario, "--udp", "::1", "--port", port, "--to", "::1", "--advertisement", "a1"]
    publisher = start("publish", *way, "--value", *EVENT, "--count", "1" + "0" * 30, "--rate", "1e-310")
    assert listener.stdout.readline()
    for process in (publisher, listener):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert out.startswith(("published 1 event of a1", "received 1, ")), out
        assert (err, process.returncode) == ("", 0)


def test_events_come_from_standard_input_until_an_interrupt(start, scenario, port):
    listener = listening(start, "--scenario", scenario, "--host", "h2", "--udp", "::1", "--port", port)
    way = ["--scenario", scenario, "--udp", "::1", "--port", port, "--to", "::1", "--advertisement", "a1"]
    publisher = start("publish", *way, "--file", "-", "--rate", "1e6")
    event = {"publisher": "a1", "values": {"low": 92, "price": 1, "on": True, "note": ""}}
    for _ in range(3):
        publisher.stdin.write(json.dumps(event) + "\n")
        publisher.stdin.flush()
        assert listener.stdout.readline().startswith("quotes a1 ")
    publisher.send_signal(signal.SIGINT)
    assert publisher.wait(60) == 0
    assert publisher.stdout.read() == "published 3 events of a1 from ::1\n"


def test_a_reader_that_goes_away_is_no_fault(start, scenario, port):
    listener = listening(start, "--scenario", scenario, "--host", "h2", "--udp", "::1", "--port", port)
    listener.stdout.close()
    way = ["--scenario", scenario, "--udp", "::1", "--port", port, "--to", "::1", "--advertisement", "a1"]
    assert start("publish", *way, "--value", *EVENT).wait(60) == 0
    assert listener.wait(60) == 0
    assert listener.stderr.read() == ""


@pytest.fixture
def switch():
    """A switch of one table with one entry: what comes in at port 1 goes to h2 at port 2, rewritten."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    ports = []
    for name in ("1", "2"):
        ports.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        ports[-1].bind(str(folder / name))
        ports[-1].listen()

    def forward():
        outgoing = FrameStream(ports[1].accept()[0])
        incoming = FrameStream(ports[0].accept()[0])
        with outgoing, incoming:
            frame = incoming.receive(60)
            group = frame[38:54]
            payload = event_payload(frame, group, EVENT_PORT)
            ends = pack_mac("02:00:00:00:00:01"), pack_mac("02:00:00:00:00:02")
            outgoing.send(bytes(12) + b"\x88\xcc" + bytes(46))
            for _ in range(2):
                outgoing.send(
                    udp_frame(ends, frame[22:38], pack_ip("fd00::2"), payload, (EVENT_PORT, EVENT_PORT))
                )
            addresses.append(group)
            with pytest.raises(TransportClosed):
                outgoing.receive(60)

    addresses = []
    thread = threading.Thread(target=forward, daemon=True)
    thread.start()
    yield folder, addresses
    for opened in ports:
        opened.close()
    shutil.rmtree(folder)


def test_events_go_from_port_to_port_of_a_fabric(start, scenario, switch):
    folder, addresses = switch
    listener = listening(
        start, "--scenario", scenario, "--host", "h2", "--fabric-port", str(folder / "2"), "--json"
    )
    way = [
        "--scenario",
        scenario,
        "--host",
        "h1",
        "--fabric-port",
        str(folder / "1"),
        "--advertisement",
        "a1",
    ]
    publisher = start("publish", *way, "--topic", "quotes", "--value", *EVENT)
    out, err = publisher.communicate(timeout=60)
    assert (out, err) == ("published 1 event of a1 from fd00::1\n", "")
    assert json.loads(listener.stdout.readline())["subscriptions"] == ["q1", "q2"]
    listener.send_signal(signal.SIGINT)
    out, err = listener.communicate(timeout=60)
    last = json.loads(out)
    assert last["counters"] | {"received": 2, "wanted": 1, "doubled": 1} == last["counters"]
    assert last["ignored_frames"] == {"not_udp": 1}
    assert addresses[0].startswith(pack_ip("ff0e:4::")[:4])


def refused(capsys, *arguments):
    """The one line that a refused command writes."""
    assert main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err.rstrip("\n")


LISTEN = ["listen", "--udp", "::1", "--scenario"]
PUBLISH = ["publish", "--udp", "::1", "--to", "::1", "--advertisement", "a1", "--scenario"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["low=92"], "price: the event has no value for this attribute"),
        ([*EVENT, "more=1"], 'more: "more" is not an attribute of topic "quotes"'),
        ([*EVENT, "low=1"], "low: the command line gives this attribute two values"),
        (["low", *EVENT], 'value: "low" has no =; write the name'),
        (["low=600", *EVENT[1:]], "low: 600 does not match the advertisement"),
        (["low=-1", *EVENT[1:]], "low: -1 is outside the domain"),
        (["low=null", *EVENT[1:]], 'low: "null" is not an integer'),
        (["low=true", *EVENT[1:]], 'low: "true" is not an integer'),
        (["low=1.0", *EVENT[1:]], 'low: "1.0" is not an integer'),
        (["low=1", "price=nan", *EVENT[2:]], 'price: "nan" is not a number'),
        (["low=1", "price=1e999", *EVENT[2:]], "price: inf is outside the domain"),
        (["low=1", "price=0x10", *EVENT[2:]], 'price: "0x10" is not a number'),
        (["low=1", "price=", *EVENT[2:]], 'price: "" is not a number'),
        (["low=1", "price=1", "on=1", "note="], 'on: "1" is not true or false'),
        ([*EVENT[:3], "note=" + "x" * 1200], "note: the event has "),
    ],
)
def test_bad_values_are_one_line(capsys, scenario, values, message):
    assert refused(capsys, *PUBLISH, scenario, "--value", *values).startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "events.jsonl:2: Expecting property name"),
        ("[" * 100_000, "events.jsonl:2: the JSON is nested too deeply"),
        ("[]", "events.jsonl:2: found a list, expected an object"),
        ('{"publisher": "a1"}', "events.jsonl:2: values: this key is missing"),
        ('{"publisher": 1, "values": {}}', "events.jsonl:2: publisher: 1 is not a string"),
        ('{"publisher": "a1", "values": []}', "events.jsonl:2: values: found a list, expected an object"),
        ('{"publisher": "a1", "values": {"low": NaN}}', "events.jsonl:2: NaN is not a JSON number"),
        (
            '{"publisher": "a1", "values": {"low": null}}',
            "events.jsonl:2: values.low: null is not an integer",
        ),
        (
            '{"publisher": "a1", "values": {"low": 600, "price": 1, "on": true, "note": ""}}',
            "events.jsonl:2: low: 600 does not match the advertisement",
        ),
        ("\udcff", "cannot read 'events.jsonl': 'utf-8' codec can't decode byte 0xff"),
    ],
)
def test_a_bad_line_is_reported_before_anything_is_sent(
    capsys, scenario, tmp_path, monkeypatch, port, line, message
):
    monkeypatch.chdir(tmp_path)
    good = '{"publisher": "a1", "values": {"low": 1, "price": 1, "on": true, "note": ""}}'
    Path("events.jsonl").write_bytes(f"{good}\n{line}\n".encode(errors="surrogateescape"))
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("::1", int(port)))
        receiver.setblocking(False)
        output = refused(capsys, *PUBLISH, scenario, "--port", port, "--file", "events.jsonl")
        with pytest.raises(BlockingIOError):
            receiver.recv(2000)
    assert output.startswith(message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "h9"], "host 'h9' has no subscription"),
        (["--host", "h2", "--topic", "t"], "host 'h2' has no subscription"),
        ([], "nothing to listen for"),
        (["--filter", "low = 1"], "topic: --filter needs a topic"),
        (["--filter", "low = 1", "--topic", "t"], 'topic: unknown topic "t"; use one of quotes'),
        (["--filter", "low = ", "--topic", "quotes"], "filter: at character 7: "),
        (["--filter", "low < 0", "--topic", "quotes"], "filter: no event of topic"),
        (["--filter", "", "--filter", "low = ", "--topic", "quotes"], "filter[1]: at character 7: "),
    ],
)
def test_listening_for_nothing_that_is_there_is_one_line(capsys, scenario, arguments, message):
    assert refused(capsys, *LISTEN, scenario, *arguments).startswith(message)


def test_other_refusals_are_one_line_each(capsys, scenario, tmp_path):
    want = ["--topic", "quotes", "--filter", ""]
    nowhere = str(tmp_path / "nowhere")
    for arguments, message in [
        ([*LISTEN, nowhere, *want], "cannot read "),
        ([*PUBLISH, scenario, "--file", nowhere], "cannot read "),
        (
            [*PUBLISH, scenario, "--topic", "t", "--value", *EVENT],
            'topic: advertisement a1 has topic "quotes", not "t"',
        ),
        (
            ["listen", "--fabric-port", nowhere, "--scenario", scenario, *want],
            "host: --fabric-port needs the addresses of the host",
        ),
        (["listen", "--fabric-port", nowhere, "--scenario", scenario, "--host", "h2"], "cannot connect to "),
        (
            ["listen", "--udp", "::1%nolo", "--scenario", scenario, *want],
            "cannot open UDP port 7373 at ::1%nolo",
        ),
        (["listen", "--udp", "h2", "--scenario", scenario, *want], "'h2' is not an IP address"),
        (["listen", "--udp", "::1", "--api", "localhost", *want], "'localhost' is not an API address"),
        (
            ["listen", "--udp", "::1", "--api", "http://127.0.0.1:1", *want],
            "GET http://127.0.0.1:1/api/v1/topics/",
        ),
        (
            [*PUBLISH, scenario, "--state", nowhere + "/seq", "--value", *EVENT],
            "cannot open the sequence state",
        ),
    ]:
        assert refused(capsys, *arguments).startswith(message)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["listen", "--udp", "::1"],
        [*LISTEN, "x", "--count", "0"],
        [*LISTEN, "x", "--count", "1.5"],
        [*LISTEN, "x", "--for", "nan"],
        [*LISTEN, "x", "--port", "65536"],
        [*PUBLISH, "x", "--value", "low=1", "--rate", "inf"],
        [*PUBLISH, "x", "--value", "low=1", "--rate", "-1"],
        [*PUBLISH, "x"],
        [*PUBLISH, "x", "--file", "y", "--value", "low=1"],
        [*LISTEN, "x", "--api", "http://x"],
    ],
)
def test_arguments_that_are_none_end_with_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_letters_that_steer_a_terminal_are_not_printed(start, scenario, port):
    listener = listening(
        start, "--scenario", scenario, "--host", "h2", "--udp", "::1", "--port", port, "--count", "1"
    )
    way = ["--scenario", scenario, "--udp", "::1", "--port", port, "--to", "::1", "--advertisement", "a1"]
    assert start("publish", *way, "--value", *EVENT[:3], "note=\x1b[31m\x9bü").wait(60) == 0
    out, _ = listener.communicate(timeout=60)
    assert out.splitlines()[0].endswith('"note": "\\u001b[31m\\x9bü"} for q1, q2')
