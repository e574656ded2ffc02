"""Why a control message is refused."""

from controlplane.common.problems import Problem
from tercast.errors import Refused

MAX_REASON = 64


class Refusing(Exception):  # noqa: N818 - named by meaning
    """The message changes nothing: the kind of reason, and a line for people."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason[:MAX_REASON]
        self.detail = detail


def of_problem(problem: Problem) -> Refusing:
    """What the API would have answered; the first of its errors names the reason."""
    if problem.errors:
        return Refusing(problem.errors[0].code, problem.errors[0].detail)
    return Refusing(problem.code, problem.detail)


def of_refused(refused: Refused) -> Refusing:
    """What the core library refused."""
    return Refusing(refused.code, str(refused))
