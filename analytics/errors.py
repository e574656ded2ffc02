"""What ends a job early, and how it says so."""

from tercast.errors import TercastError


class AnalyticsError(TercastError):
    """Root of what this package raises on purpose; its text is for people."""


class CannotRun(AnalyticsError):  # noqa: N818 - named by meaning
    """The job cannot begin: an input, an option, Java or Python on this machine does not fit."""


class NoJava(CannotRun):
    """There is no Java that Spark can run on."""


class NoTelemetry(CannotRun):
    """There is no telemetry that the job could read."""


class JobFailed(AnalyticsError):  # noqa: N818 - named by meaning
    """Spark gave up on a job that had begun."""
