"""Enumerations of the OpenAPI description have meanings, and no lists that repeat their values."""

from pathlib import Path

import pytest
import yaml

from controlplane.config.enum_meanings import MEANINGS, describe_enums

SCHEMA = Path(__file__).parents[3] / "docs" / "openapi.yaml"


@pytest.fixture(scope="module")
def schemas():
    return yaml.load(SCHEMA.read_text(), yaml.CSafeLoader)["components"]["schemas"]


@pytest.mark.parametrize("name", MEANINGS)
def test_every_value_has_a_meaning(schemas, name):
    assert set(schemas[name]["enum"]) == set(MEANINGS[name])


def test_lists_that_repeat_values_are_removed():
    state = {"type": "string", "description": "state\n\n* `port_in_use` - Port In Use\n* `done` - complete"}
    result = {
        "paths": [state, {"description": "* `a` - A"}, {"description": ""}],
        "components": {"schemas": {"OriginEnum": {"description": "* `api` - Api"}}},
    }
    described = describe_enums(result, generator=None, request=None, public=True)
    assert described["paths"] == [
        {"type": "string", "description": "state\n\n* `done` - complete"},
        {},
        {"description": ""},
    ]
    assert described["components"]["schemas"]["OriginEnum"]["description"].startswith(
        "* `api` - registered over"
    )
