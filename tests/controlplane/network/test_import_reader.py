"""A separate process reads large topology files, within limits of time, memory and number."""

import resource
import threading

import pytest

from controlplane.common import bounded_answer
from controlplane.common.problems import Problem
from controlplane.network import import_process, import_reader, topology_import
from tercast.errors import Refused, RefusedMany
from tercast.topology.importers import TOO_MANY, TakenAddresses, read_topology


def nodes(count):
    return b"graph [ %b ]" % b" ".join(b'node [ id %d label "n%d" ]' % (n, n) for n in range(count))


NODES = nodes(1200)
TAKEN = TakenAddresses(dpids=frozenset({f"{1:016x}"}))


def read(data, hosts=0, most=topology_import.MAX_ITEMS, taken=TAKEN):
    return import_reader.read(data, None, hosts, "ipv6", taken, most)


def question(**other):
    taken = {"dpids": [], "ips": [], "macs": []}
    base = {"format": None, "hosts": 0, "family": "ipv6", "most": 50_000, "taken": taken, "bytes": 1 << 30}
    return {**base, **other}


def test_a_small_file_needs_no_process(monkeypatch):
    monkeypatch.setattr("subprocess.run", None)
    assert read(b"a b 1\n").counts == {"switches": 2, "links": 1, "hosts": 0}
    with pytest.raises(TypeError):  # with many hosts it may take long
        read(b"a b 1\n" * 100, hosts=100)


def test_a_process_reads_what_the_web_process_would():
    assert len(NODES) > import_reader.SMALL
    assert read(NODES, hosts=1) == read_topology(NODES, None, 1, "ipv6", TAKEN)


def test_refusals_come_through(monkeypatch):
    with pytest.raises(Refused, match="invalid GML"):
        read(NODES[:-2] + b" node [ ] ]")
    refused = {"refused": [{"path": ["a", 0], "code": "c", "detail": "d", "value": 1}] * 2}
    monkeypatch.setattr(import_reader, "_run", lambda asked: refused)
    with pytest.raises(RefusedMany) as caught:
        read(NODES)
    assert [(one.path, one.code, one.value) for one in caught.value.errors] == [(("a", 0), "c", 1)] * 2


def test_a_file_with_too_many_items_is_refused_before_it_is_repaired(monkeypatch):
    monkeypatch.setattr("tercast.topology.importers.importer.Repair", None)
    for hosts, most in ((0, 1199), (1, 2399)):
        with pytest.raises(Refused, match=f"at most {most}") as caught:
            import_process.read(question(hosts=hosts, most=most), NODES)
        assert caught.value.code == TOO_MANY


def test_what_the_repair_joins_is_counted_once():
    twice = b"".join(b"edge [ source %d target %d ] " % pair for pair in ((0, 1), (1, 0), (0, 0)))
    nodes = b"node [ id 0 ] node [ id 1 ] node [ id 1 ] "
    assert read_topology(b"graph [ %b%b]" % (nodes, twice), most=3).counts["switches"] == 2


@pytest.mark.parametrize(("bound", "value"), [("CPU_SECONDS", 0), ("MEMORY", 1 << 20)])
def test_time_and_memory_of_a_file_are_limited(monkeypatch, bound, value):
    monkeypatch.setattr(import_reader, bound, value)
    with pytest.raises(Problem) as caught:
        read(nodes(10_000))
    assert caught.value.status == 413 and "Split the network" in caught.value.detail


def test_a_process_that_fails_is_an_error_with_its_last_words(monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(RuntimeError, match="ended with 1"):
        read(NODES)


def test_parallel_files_are_limited(monkeypatch):
    monkeypatch.setattr(import_reader, "_free", threading.BoundedSemaphore(1))
    monkeypatch.setattr(import_reader, "PATIENCE_SECONDS", 0.01)
    import_reader._free.acquire()
    with pytest.raises(Problem) as caught:
        read(NODES)
    assert (caught.value.status, caught.value.headers["Retry-After"]) == (503, "10")
    import_reader._free.release()
    assert read(NODES).counts["switches"] == 1200


def test_call_refuses_large_files(operator, problem, monkeypatch):
    monkeypatch.setattr(topology_import, "MAX_ITEMS", 1000)
    answer = operator.raw("POST", "topology/import/", NODES, content_type="application/octet-stream")
    assert "at most 1000" in problem(answer, 413)["detail"]


def test_bounds_do_not_rise_above_those_of_the_process(monkeypatch):
    seen = []
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (5, 10))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: seen.append(pair))
    bounded_answer.limit(resource.RLIMIT_CPU, 20)
    assert seen == [(10, 10)]
