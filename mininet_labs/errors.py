"""The root exception of the labs."""

from __future__ import annotations


class LabError(Exception):
    """A value breaks a rule; `str()` is one line with the value, the rule and the remedy."""

    def __init__(self, value: object, rule: str, remedy: str) -> None:
        super().__init__(f"{value}: {rule}; {remedy}")
        self.value = str(value)
        self.rule = rule
        self.remedy = remedy
