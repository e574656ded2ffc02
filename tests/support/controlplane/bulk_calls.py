"""Bulk calls on the network of the tests."""


def small(count):
    return [{"subscriber": "alice", "topic": "quotes", "filter": f"low < {n + 1}"} for n in range(count)]
