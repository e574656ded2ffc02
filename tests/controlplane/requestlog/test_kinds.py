"""The table of request kinds: complete, consistent, with the sets that planning depends on."""

import pytest

from controlplane.deployment import object_effects
from controlplane.planning.request_objects import RESOURCES
from controlplane.registry.models import ANNOUNCEMENT_MODELS
from controlplane.requestlog import kinds
from controlplane.requestlog.kinds import KINDS
from tercast.requests import kinds as names
from tercast.requests.reader import _READERS

OFFLINE = {names.ADD_BORDER, names.REMOVE_BORDER, names.EXTERNAL}
"""Kinds that only plans of scenarios with partitions use."""


def test_every_kind_has_one_row_and_a_reader():
    constants = {value for name, value in vars(names).items() if name.isupper() and isinstance(value, str)}
    assert set(KINDS) | OFFLINE == set(_READERS) == constants
    assert not set(KINDS) & OFFLINE
    assert len(kinds._ROWS) == len(KINDS)


def test_a_withdrawal_concerns_what_was_announced():
    assert kinds.ANNOUNCING and len(kinds.ANNOUNCING) == len(kinds.WITHDRAWING)
    for kind in map(KINDS.__getitem__, kinds.ANNOUNCING):
        withdrawal = KINDS[kind.withdrawn_by]
        assert withdrawal.withdraws and withdrawal.subject == kind.subject
        assert ANNOUNCEMENT_MODELS[kind.name] is ANNOUNCEMENT_MODELS[withdrawal.name]
        assert ANNOUNCEMENT_MODELS[kind.name].__name__.lower() == kind.subject


def test_what_changes_a_row_has_an_effect_and_a_subject_to_lock():
    assert set(object_effects._CHANGES) == kinds.CHANGES_ROW | {names.SET_AGGREGATION}
    assert all(KINDS[name].subject for name in kinds.CHANGES_ROW)


def test_every_subject_is_a_resource_of_the_api():
    assert {kind.subject for kind in KINDS.values()} - {None} == set(RESOURCES)


SETS = {
    "CAN_FAIL": "advertise aggregate set_budget set_reserve subscribe unadvertise unsubscribe",
    "BEGINS_BATCH": "set_indexed",
    "ENDS_BATCH": "remove_host remove_switch remove_topic set_indexed",
    "CHANGES_ROW": (
        "host_move link_down link_up remove_host remove_link remove_switch remove_topic set_budget"
        " set_capacity set_indexed switch_down switch_up"
    ),
    "CHANGES_TOPOLOGY": "add_link link_down link_up remove_link remove_switch switch_down switch_up",
    "TAKES_DOWN": "link_down switch_down",
    "REMOVES_PART": "remove_host remove_link remove_switch",
    "NARROWS_SOURCES": "host_move remove_host remove_link",
    "CHANGES_MATCHES": "advertise set_indexed unadvertise",
}


@pytest.mark.parametrize("name", SETS)
def test_classes_of_kinds(name):
    assert sorted(getattr(kinds, name)) == SETS[name].split()
