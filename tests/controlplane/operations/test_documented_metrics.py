"""docs/metrics.md lists every metric of the control plane."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
SOURCE = (ROOT / "platform/controlplane/operations/metrics.py").read_text(encoding="utf-8")


def test_every_metric_is_in_the_page():
    gauges = set(re.findall(r'_gauge\(\s*"(\w+)"', SOURCE))
    counters = {f"{name}_total" for name in re.findall(r'_counter\(\s*"(\w+)"', SOURCE)}
    histograms = {name.removeprefix("tercast_") for name in re.findall(r'"(tercast_\w+_seconds)"', SOURCE)}
    assert len(gauges) > 12 and len(counters) == 2 and len(histograms) == 1
    assert set(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE)) == gauges | counters | histograms
