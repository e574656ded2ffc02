"""Calls that several threads make at the same time."""

import threading
from collections import Counter

from django.db import connection


def at_once(calls):
    """Return the status codes of concurrent calls, each with a separate connection."""
    start, codes = threading.Barrier(len(calls)), []

    def run(call):
        try:
            start.wait()
            codes.append(call().status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(codes)
