"""Attributes of all types and tests of them, drawn with a seeded generator."""

from __future__ import annotations

import random
from collections.abc import Callable

from tercast.eventspace.topic import Attribute, Bool, Enum, Float, Int, String

LARGE = (1 << 40, 10**9, 10**12, (1 << 60) - 1)


def drawn_attribute(rng: random.Random, name: str) -> Attribute:
    make: Callable[[], Attribute] = rng.choice(
        [
            lambda: Int(name, 0, (1 << rng.randint(1, 12)) - 1),
            lambda: Int(name, -3, rng.randint(0, 300)),
            lambda: Int(name, 0, rng.choice(LARGE)),
            lambda: Enum(name, tuple(f"v{j}" for j in range(rng.randint(1, 11)))),
            lambda: Float(name, 0.0, 100.0),
            lambda: String(name),
            lambda: Bool(name),
        ]
    )
    return make()


def drawn_test(rng: random.Random, attribute: Attribute) -> str:
    name = attribute.name
    if isinstance(attribute, Int):
        values = [rng.randint(attribute.min, attribute.max) for _ in range(rng.choice([2, 3, 12]))]
        low, high = sorted(values[:2])
        listed = ", ".join(map(str, values))
        return rng.choice(
            [f"{name} in [{low}, {high}]", f"{name} != {low}", f"{name} in ({listed})", f"{name} >= {low}"]
        )
    if isinstance(attribute, Float):
        low, high = sorted((rng.random() * 100, rng.random() * 100))
        return rng.choice([f"{name} in [{low!r}, {high!r})", f"{name} != {low!r}", f"{name} > {low!r}"])
    if isinstance(attribute, Bool):
        return f"{name} = {rng.choice(['true', 'false'])}"
    texts = attribute.values if isinstance(attribute, Enum) else ("a", "ab", "yz", "b", "zzzz")
    one, two = (f'"{rng.choice(texts)}"' for _ in range(2))
    forms = [f"{name} != {one}", f"{name} in ({one}, {two})", f"{name} <= {one}"]
    return rng.choice(forms if isinstance(attribute, Enum) else [*forms, f"{name} prefix {one}"])
