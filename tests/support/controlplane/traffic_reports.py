"""A report of traffic."""

REPORT = {
    "reporter": "demo",
    "published": 1000,
    "wanted": 810,
    "delivered": 822,
    "lost": 0,
    "doubled": 0,
    "unwanted": 12,
    "delay_ms": {"p50": 1.5, "p99": 6.25},
}
