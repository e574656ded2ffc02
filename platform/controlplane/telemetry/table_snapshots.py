"""Writer of the dataset `table_snapshots`: table sizes from the controller, and the budgets.

The controller polls the tables and does not know the budgets. The worker requests the controller's counters
for other purposes too, so the worker writes the rows. `packets` and `bytes` are the sums of the port counters
of what the switch has sent.
"""

from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from controlplane.network.models import Switch
from controlplane.telemetry import storage
from tercast.telemetry import TABLE_SNAPSHOTS
from tercast.telemetry.recorder import Recorder
from tercast.telemetry.sinks import FolderSink

EVERY = timedelta(seconds=9)
"""Minimum time between two readings of a table that become rows."""

WRITER = "control-plane"
PERIOD_S = 30.0


_recorder: Recorder | None = None
_recorded: dict[str, datetime] = {}


def record_tables(counters: dict[str, Any]) -> None:
    """Record the tables in the controller's counters that are new or due (see `EVERY`)."""
    times = {row["dpid"]: datetime.fromisoformat(row["at"]) for row in counters.get("tables", [])}
    due = {dpid for dpid, at in times.items() if dpid not in _recorded or at >= _recorded[dpid] + EVERY}
    if not due:
        return
    for row in rows_of(counters, due):
        _writer().add(TABLE_SNAPSHOTS, partial(dict, row))
    _recorded.update({dpid: times[dpid] for dpid in due})


def rows_of(counters: dict[str, Any], due: set[str]) -> list[dict[str, Any]]:
    """Return the rows of the tables of switches; switches that are not declared are skipped.

    Args:
        counters: the controller's answer, with `tables` and `ports`.
        due: the datapath ids of the switches.
    """
    packets: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for port in counters.get("ports", []):
        packets[port["dpid"]] += port["tx_packets"]
        size[port["dpid"]] += port["tx_bytes"]
    switches = Switch.objects.filter(dpid__in=due).values_list("dpid", "name", "tcam_budget")
    known = {dpid: (name, budget) for dpid, name, budget in switches}
    return [
        {
            "taken_at": datetime.fromisoformat(table["at"]),
            "switch": known[table["dpid"]][0],
            "entries": table["entries"],
            "budget": known[table["dpid"]][1],
            "packets": packets[table["dpid"]],
            "bytes": size[table["dpid"]],
        }
        for table in counters.get("tables", [])
        if table["dpid"] in due and table["dpid"] in known
    ]


def close() -> None:
    """Write the waiting rows and close the recorder, at the end of the process."""
    global _recorder  # noqa: PLW0603 - one recorder per process
    if _recorder is not None:
        _recorder.close(seconds=2.0)
        _recorder = None


def _writer() -> Recorder:
    global _recorder  # noqa: PLW0603
    if _recorder is None:
        sink = FolderSink(storage.root())
        limits: dict[str, Any] = {"period": PERIOD_S, "batch_rows": 50_000}
        _recorder = Recorder(sink, WRITER, datasets=(TABLE_SNAPSHOTS,), **limits)
    return _recorder
