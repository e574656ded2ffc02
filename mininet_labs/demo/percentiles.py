"""Percentiles of a long series in little memory."""

import math
from collections import Counter
from dataclasses import dataclass, field

_STEPS_PER_DOUBLING = 64
_SMALLEST = 1e-3


@dataclass(slots=True)
class Percentiles:
    """Counts values in classes that are 1.1 % wide; values below 0.001 count as 0.001."""

    count: int = 0
    _classes: Counter[int] = field(default_factory=Counter)

    def add(self, value: float) -> None:
        """Count `value`."""
        self.count += 1
        self._classes[math.floor(math.log2(max(value, _SMALLEST)) * _STEPS_PER_DOUBLING)] += 1

    def at(self, share: float) -> float | None:
        """The value below which `share` (0 to 1) of all lie, to 1.1 %; None without values."""
        rank = math.ceil(share * self.count)
        for number in sorted(self._classes):
            rank -= self._classes[number]
            if rank <= 0:
                return round(float(2 ** ((number + 0.5) / _STEPS_PER_DOUBLING)), 3)
        return None
