"""Logs of the demo's processes have a limited size, and their end is read without the rest."""

from mininet_labs.demo import services
from mininet_labs.demo.services import Service, python


def test_large_log_is_rotated_while_its_process_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(services, "MOST_LOG_BYTES", 1000)
    log = tmp_path / "x.log"
    script = "import sys; print('a' * 2000, flush=True); sys.stdin.readline(); print('end', flush=True)"
    service = Service("x", python("-c", script), log, {})
    service.start()
    service.process.wait()
    service.bound_log()
    assert log.stat().st_size == 0 and (tmp_path / "x.log.1").stat().st_size == 2005
    service.start()  # a restart appends
    service.process.wait()
    assert service.tail(1).strip() == "end"
    assert log.stat().st_size == 2005


def test_the_end_of_a_huge_log_is_read_alone(tmp_path):
    log = tmp_path / "x.log"
    with log.open("wb") as file:
        file.truncate(2_000_000_000)
        file.seek(0, 2)
        file.write(b"\nlast words\n")
    assert Service("x", [], log, {}).tail(1) == "  last words"
