"""Exceptions that end a job."""

from tercast.errors import TercastError


class AnalyticsError(TercastError):
    """Root of the exceptions that this package raises deliberately; the text is for users."""


class CannotRun(AnalyticsError):  # noqa: N818 - named by meaning
    """The job cannot start: an input, an option, or Java or Python on this machine is unusable."""


class NoJava(CannotRun):
    """There is no Java that Spark can use."""


class NoTelemetry(CannotRun):
    """There is no telemetry that the job can read."""


class JobFailed(AnalyticsError):  # noqa: N818 - named by meaning
    """Spark failed during a job."""
