"""Test scenarios whose switches have fewer entries than exact tables need."""

from __future__ import annotations

import random
from dataclasses import replace

from tercast.offline.scenario import read_scenario
from tercast.planner.planner import Planner
from tests.support.labs.plan_on_fabric_scenes import Object, Scene


def bounded(scene: Scene, seed: int) -> Scene:
    """Return the scenario with budgets below the peaks at about half of its switches."""
    rng = random.Random(seed)
    topology = scene.scenario["topology"]
    most = _most_entries(scene)
    switches = [
        {**switch, "tcam_budget": max(1, int(most[switch["id"]] * rng.uniform(0.2, 0.7)))}
        if most[switch["id"]] > 2 and rng.random() < 0.7
        else switch
        for switch in topology["switches"]
    ]
    return replace(
        scene,
        name=f"{scene.name}, bounded",
        scenario={
            **scene.scenario,
            "topology": {**topology, "switches": switches},
            "aggregation": {"method": "la"},
        },
    )


def _most_entries(scene: Scene) -> dict[str, int]:
    requests: list[Object] = [request for stage in scene.stages for request in stage]
    scenario = read_scenario({**scene.scenario, "requests": requests})
    beginning = scenario.beginning()
    planner = Planner(scenario.address, scenario.limits, beginning.topology, beginning.topics.values())
    most = planner.counts()
    for request in requests:
        planner.apply(request)
        most = {switch: max(most[switch], count) for switch, count in planner.counts().items()}
    return most
