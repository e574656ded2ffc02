"""Run work in a background thread; the caller may stop waiting while the work continues."""

import logging
import threading
from collections.abc import Callable

logger = logging.getLogger(__name__)


class BackgroundThread:
    """Runs `work` in a thread; it must not use the database. `afterwards` ends abandoned work."""

    def __init__(self, work: Callable[[], object], afterwards: Callable[[], None]) -> None:
        self._work, self._afterwards = work, afterwards
        self._over = self._left = False
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait at most this time for the end of the work.

        Returns:
            False if the work continues; the caller has abandoned it then, and must not wait again.

        Raises:
            BaseException: The error of the work.
        """
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
                logger.error(
                    "background work failed after its caller had stopped waiting", exc_info=self._error
                )
            self._afterwards()
