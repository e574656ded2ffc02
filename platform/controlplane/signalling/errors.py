"""Refusals of control messages."""

from controlplane.common.problems import Problem
from tercast.errors import Refused

MAX_REASON = 64


class Refusing(Exception):  # noqa: N818 - named by meaning
    """A refusal of a message, which changes nothing: a reason code, and a text for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason[:MAX_REASON]
        self.detail = detail


def of_problem(problem: Problem) -> Refusing:
    """Convert a problem of the API; its first error determines the reason."""
    if problem.errors:
        return Refusing(problem.errors[0].code, problem.errors[0].detail)
    return Refusing(problem.code, problem.detail)


def of_refused(refused: Refused) -> Refusing:
    """Convert a refusal of the core library."""
    return Refusing(refused.code, str(refused))
