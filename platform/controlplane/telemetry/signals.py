"""Signals of telemetry, to which packages above it listen."""

from django.dispatch import Signal

losses_reported = Signal()
"""A host reported more lost events than before: `reporter`, `more`, and the `topics` concerned, if known.

It is sent within the transaction that stores the report.
"""
