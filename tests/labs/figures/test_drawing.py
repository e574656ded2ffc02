"""Pictures are well-formed SVG, and equal documents give equal pictures."""

from dataclasses import asdict, replace
from typing import Any
from xml.etree import ElementTree

from mininet_labs.figures.drawing import picture
from mininet_labs.figures.figure import Panel
from mininet_labs.figures.lines import lines_json, panel_lines, read_lines

PANEL = Panel("y", "values, %", "a < b", x_label="x")
ROWS = [
    {"seed": seed, "x": x, "series": series, "y": x * seed, "merged": 10 * x}
    for seed in (1, 2)
    for series in ("one", "two")
    for x in (3, 1, 2)
]


def drawn(**changes: Any) -> str:
    panel = replace(PANEL, **changes)
    return picture({"panels": [{**asdict(panel), "lines": lines_json(panel_lines(panel, ROWS))}]})


def test_a_picture_is_deterministic_and_well_formed() -> None:
    assert drawn() == drawn()
    root = ElementTree.fromstring(drawn())
    lines = root.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2 and len(lines[0].attrib["points"].split()) == 3
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"one", "two", "a < b", "values, %"} <= texts


def test_points_have_lowest_mean_and_highest_value() -> None:
    points = panel_lines(PANEL, ROWS)["one"]
    assert [(point.x, point.low, point.mean, point.high) for point in points] == [
        (1, 1, 1.5, 2),
        (2, 2, 3, 4),
        (3, 3, 4.5, 6),
    ]


def test_lines_are_read_as_written() -> None:
    lines = panel_lines(PANEL, ROWS)
    assert read_lines({"lines": lines_json(lines)}) == lines


def test_x_may_be_a_measured_value() -> None:
    assert [point.x for point in panel_lines(replace(PANEL, x="merged"), ROWS)["one"]] == [10, 20, 30]


def test_rows_after_a_run_are_points_of_their_own() -> None:
    rows = [
        {"seed": 1, "x": 1, "series": "one", "y": 9, "after": 0},
        {"seed": 1, "x": 1, "series": "one", "y": 2, "after": 1},
    ]
    assert [point.mean for point in panel_lines(PANEL, rows)["one"]] == [9, 2]


def test_a_panel_without_rows_is_left_out() -> None:
    assert "polyline" not in drawn(group="other")
