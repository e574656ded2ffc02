"""A switch that reconnects many times leaves nothing behind in the controller."""

from __future__ import annotations

from pathlib import Path

import pytest

from mininet_labs.fabric import Fabric
from tests.support.controller.controller_harness import dpid, eventually, many_entries, ordered, running
from tests.support.controller.fake_switch import FakeNetwork

NOBODY = "tcp:127.0.0.1:1"
"""A port without controller: without any controller, Open vSwitch would empty its tables."""


@pytest.mark.parametrize("cycles", [40, pytest.param(200, marks=pytest.mark.full)])
def test_reconnects_of_a_switch_leak_no_descriptor(run_dir: Path, cycles: int) -> None:
    with running(run_dir) as controller, FakeNetwork(controller.openflow) as network:
        fake = network.add(0xA1)
        controller.await_switches(dpid(0xA1))
        entries = many_entries(20)
        controller.change({"dpid": dpid(0xA1), "add": entries})
        before = controller.descriptors()
        epochs = [_epoch(controller)]
        for _ in range(cycles):
            fake.stop()
            fake.start()
            last = epochs[-1]
            epochs.append(
                eventually(lambda last=last: _epoch(controller) if _epoch(controller) > last else 0)
            )
        assert epochs == sorted(set(epochs))
        assert eventually(lambda: controller.descriptors() <= before + 2)
        assert controller.entries(dpid(0xA1)) == ordered(entries)


def _epoch(controller) -> int:
    return max((switch["epoch"] for switch in controller.get("/v1/switches")), default=0)


@pytest.mark.fabric
@pytest.mark.parametrize("cycles", [10, pytest.param(200, marks=pytest.mark.full)])
def test_reconnects_of_open_vswitch_leak_no_descriptor(run_dir: Path, cycles: int) -> None:
    topology = {"switches": [{"id": "s1", "dpid": dpid(1)}], "links": [], "hosts": []}
    with running(run_dir) as controller, Fabric(run_dir / "f", topology, [controller.target]) as fabric:
        controller.await_switches(dpid(1))
        entries = many_entries(20)
        controller.change({"dpid": dpid(1), "add": entries})
        before = controller.descriptors()
        for _ in range(cycles):
            epoch = _epoch(controller)
            fabric.set_controller(NOBODY, switch="s1")
            assert eventually(lambda: not controller.dpids())
            fabric.set_controller(controller.target, switch="s1")
            controller.await_switches(dpid(1))
            assert _epoch(controller) > epoch
        assert controller.entries(dpid(1)) == ordered(entries)
        assert eventually(lambda: controller.descriptors() <= before + 2)
