"""Hostile paths and queries on every route: a 400 that names the parameter, and never a 500."""

import pytest

from controlplane.web.urls import router
from tests.support.controlplane.routes import DELETES, LISTS, NESTED, PATCHES, SINGLES

BIG = [
    str(2**63),
    str(2**80),
    "9" * 300,
    "-1",
    "1.5",
    "1e3",
    "0x1",
    "01",
    "000001",
    "quotes",
    "%00",
    "%F0%9F%98%80",
]
ALL_LISTS = [f"{prefix}/" for prefix in LISTS]


def shared_out(cases):
    """Parametrize `case` and `part`: each case for a third of the routes in turn, or for all in full."""
    return pytest.mark.parametrize(
        ("case", "part"),
        [
            *((case, slice(number % 3, None, 3)) for number, case in enumerate(cases)),
            *(pytest.param(case, slice(None), marks=pytest.mark.full) for case in cases),
        ],
    )


@shared_out(BIG)
def test_what_is_no_id_is_refused_by_name(operator, error, case, part):
    for prefix in LISTS[part]:
        calls = [operator.get(f"{prefix}/{case}/")]
        calls += [operator.patch(f"{prefix}/{case}/", {})] if prefix in PATCHES else []
        calls += [operator.delete(f"{prefix}/{case}/")] if prefix in DELETES else []
        for answer in calls:
            found = error(answer)
            assert found["parameter"] == "id" and found["code"] in ("not_an_id", "out_of_range")


def test_the_largest_id_is_merely_not_there(operator, problem):
    for prefix in LISTS:
        problem(operator.get(f"{prefix}/{2**63 - 1}/"), 404)


@pytest.mark.parametrize("path", ["tables/x/entries/", "operations/99999999999999999999/results/"])
def test_nested_ids_are_checked_too(world, error, path):
    assert error(world.get(path))["parameter"] == "id"


HOSTILE_QUERIES = [
    ("limit=0", "limit"),
    ("limit=1001", "limit"),
    ("limit=-1", "limit"),
    ("limit=1.0", "limit"),
    ("limit=", "limit"),
    ("limit=" + "9" * 400, "limit"),
    (f"limit={2**80}", "limit"),
    ("limit=%D9%A1", "limit"),  # a digit that is not ASCII
    ("limit=1&limit=2", "limit"),
    ("cursor=x", "cursor"),
    ("cursor=", "cursor"),
    ("cursor=" + "A" * 3000, "cursor"),
    ("cursor=%00", "cursor"),
    (f"cursor={2**80}", "cursor"),
    ("count=1", "count"),
    ("ordering=created_by", "ordering"),
    ("ordering=--id", "ordering"),
    ("ordering=id,name", "ordering"),
    ("offset=0", "offset"),
    ("page=1", "page"),
    ("no_such_filter=1", "no_such_filter"),
    ("id__regex=.", "id__regex"),
    ("dry_run=true", "dry_run"),
    ("%00=1", "\0"),
]


@shared_out(HOSTILE_QUERIES)
def test_bad_parameters_of_lists_are_named(operator, error, case, part):
    query, name = case
    for path in ALL_LISTS[part]:
        assert error(operator.get(f"{path}?{query}"))["parameter"] == name


def _filters():
    for prefix, viewset, _ in router.registry:
        if prefix not in LISTS:
            continue
        for each in viewset.filters:
            for parameter in each.parameters():
                yield f"{prefix}/", parameter


HOSTILE_VALUES = [
    "",
    "%00",
    str(2**80),
    str(-(2**63)),
    "x" * 600,
    "%FF",
    "1,",
    ",",
    "null",
    "'",
    "2024-13-45",
    "NaN",
]


@shared_out(HOSTILE_VALUES)
def test_every_filter_takes_every_value_or_names_it(world, case, part):
    for path, parameter in list(_filters())[part]:
        answer = world.get(f"{path}?{parameter}={case}")
        assert answer.status_code in (200, 400), (parameter, case, answer.content[:500])
        if answer.status_code == 400:
            assert answer.json()["errors"][0]["parameter"] == parameter


def test_reading_one_thing_takes_no_parameters(operator, error):
    for path in [*SINGLES, *(f"{prefix}/1/" for prefix in LISTS)]:
        assert error(operator.get(f"{path}?limit=1"))["parameter"] == "limit"


def test_nested_lists_check_their_parameters(operator, error):
    for path in NESTED:
        assert error(operator.get(f"{path}?no_such_filter=1"))["parameter"] == "no_such_filter"


def test_too_many_values_of_a_list_are_refused(world, error):
    assert error(world.get("topics/?id__in=" + ",".join(map(str, range(101)))))["code"] == "too_many"


def test_writes_take_their_own_parameters_only(operator, error):
    for prefix in DELETES:
        assert error(operator.delete(f"{prefix}/1/?force=true"))["parameter"] == "force"
        assert error(operator.delete(f"{prefix}/1/?dry_run=yes"))["parameter"] == "dry_run"
        assert error(operator.post(f"{prefix}/?atomic=no", {}))["parameter"] == "atomic"


def test_all_bad_parameters_of_a_query_are_reported_together(world, problem):
    answer = world.get(
        "subscriptions/?foo=1&limit=0&ordering=x&id=x&cursor=zz&id__in=1,y&count=1&q=" + "x" * 501
    )
    found = [(each["parameter"], each["code"]) for each in problem(answer, 400)["errors"]]
    assert found == [
        ("foo", "unknown_parameter"),
        ("limit", "out_of_range"),
        ("ordering", "not_a_choice"),
        ("id", "not_an_integer"),
        ("cursor", "bad_cursor"),
        ("id__in", "not_an_integer"),
        ("count", "not_a_flag"),
        ("q", "too_long"),
    ]
    answer = world.get("hosts/?format=xls&limit=0")
    assert [each["parameter"] for each in problem(answer, 400)["errors"]] == ["format", "limit"]
    answer = world.post("hosts/?dry_run=yes&atomic=no&foo=1", {})
    assert [each["parameter"] for each in problem(answer, 400)["errors"]] == ["dry_run", "atomic", "foo"]
    for path in [*ALL_LISTS, "operations/1/results/", "tables/1/entries/"]:
        errors = problem(world.get(f"{path}?limit=0&foo=1&ordering=x"), 400)["errors"]
        assert [each["parameter"] for each in errors] == ["limit", "foo", "ordering"], path
