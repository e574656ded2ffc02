"""Metrics as Prometheus reads them."""

from __future__ import annotations

from http.client import HTTPConnection

from prometheus_client.parser import text_string_to_metric_families

from tests.support.controller.controller_harness import (
    TOKEN,
    Controller,
)
from tests.waiting import LIMIT_SECONDS

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def scrape(controller: Controller) -> Samples:
    """Return all samples; Prometheus' own parser reads the text."""
    connection = HTTPConnection("127.0.0.1", controller.northbound, timeout=LIMIT_SECONDS)
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status == 200, text
    assert (answer.headers["Content-Type"] or "").startswith("text/plain; version=0.0.4")
    assert TOKEN not in text
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float | None:
    return samples.get((f"tercast_controller_{name}", tuple(sorted(labels.items()))))
