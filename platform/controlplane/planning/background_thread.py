"""Work in a thread beside its caller, who may leave it to itself when it takes too long."""

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)


class Aside:
    """Does `work`, which must not touch the database; who leaves it has `afterwards` called at its end."""

    def __init__(self, work: Callable[[], object], afterwards: Callable[[], None]) -> None:
        self._work, self._afterwards = work, afterwards
        self._over = self._left = False
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="aside", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Whether it ended within that time, raising what it raised; if not, the caller has left it."""
        self._thread.join(max(seconds, 0.0))
        with self._lock:
            self._left = not self._over
        if self._error is not None and not self._left:
            raise self._error
        return not self._left

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._error = error
        with self._lock:
            self._over = True
        if self._left:
            if self._error is not None:
                logger.error("work that was left to itself failed", exc_info=self._error)
            self._afterwards()
