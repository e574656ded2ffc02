"""The plan of the example in the specification."""

EXPECTED = {
    "format": "plan/1",
    "encodings": {"a1": ["0"], "q1": ["000101", "00011000", "0001100100"]},
    "trees": [{"id": "t1", "topic": "quotes", "dz": ["0"], "root": "s1", "edges": [["s1", 1, "s2", 1]]}],
    "flows": {
        "s1": [
            {"match": {"dst": "ff0e:4:1400::/38"}, "priority": 24, "actions": [{"output": 1}]},
            {"match": {"dst": "ff0e:4:1800::/40"}, "priority": 26, "actions": [{"output": 1}]},
            {"match": {"dst": "ff0e:4:1900::/42"}, "priority": 28, "actions": [{"output": 1}]},
        ],
        "s2": [
            {
                "match": {"dst": "ff0e:4:1400::/38"},
                "priority": 24,
                "actions": [{"set_dst": "h2"}, {"output": 3}],
            },
            {
                "match": {"dst": "ff0e:4:1800::/40"},
                "priority": 26,
                "actions": [{"set_dst": "h2"}, {"output": 3}],
            },
            {
                "match": {"dst": "ff0e:4:1900::/42"},
                "priority": 28,
                "actions": [{"set_dst": "h2"}, {"output": 3}],
            },
        ],
    },
    "pending": [],
    "unreachable": [],
    "failed": [],
}
