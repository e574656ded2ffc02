"""Signals of telemetry, for packages that import it."""

from django.dispatch import Signal

losses_reported = Signal()
"""Signal that a reporter has lost more events than in its previous report.

The arguments are `reporter`, `more` (the number of newly lost events) and `topics` (the topics in the report,
possibly none). The signal is sent within the transaction that stores the report.
"""
