"""The Spark session of a job: its settings, and checks before any telemetry is read."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import mkdtemp
from threading import Event, Timer
from zipfile import ZipFile

import pyspark
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import analytics
import tercast
from analytics.errors import CannotRun
from analytics.spark.java import check_java

PATIENCE = 120
"""Seconds in which a worker must accept a first task."""

JAVA_GRACE = 1.0
"""Seconds to find out that a silent Java process has ended."""

_LOCAL = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
_RAISED = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Interrupt|Exit)\b")
_LOG = Path(__file__).with_name("log4j2.properties")

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={_LOG.as_uri()}",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
    "spark.sql.execution.pythonUDF.arrow.enabled": "true",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "10000",
    "spark.sql.shuffle.partitions": "8",
}


def start_session(master: str = "local[*]", memory: str = "1g") -> SparkSession:
    """Start a session.

    Raises:
        CannotRun: Java or the Python of the workers is unusable, or the master has no workers.
    """
    check_java()
    check_spark_home()
    _prepare_environment(master)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    own = _LOCAL if is_local(master) else {"spark.executor.memory": memory}
    builder = SparkSession.builder.master(master).appName("tercast-analytics")
    for name, value in {**_SETTINGS, **own, "spark.driver.memory": memory}.items():
        builder = builder.config(name, value)
    try:
        spark = builder.getOrCreate()
    except Exception as error:
        raise CannotRun(f"Spark does not start with master {master}: {first_line(error)}") from None
    try:
        check_workers(spark, master)
        if not is_local(master):
            ship_packages(spark)
    except CannotRun:
        spark.stop()
        raise
    return spark


def check_spark_home(environ: Mapping[str, str] = os.environ) -> None:
    """Check that SPARK_HOME, if set, has Spark in the version of PySpark.

    Raises:
        CannotRun: It does not.
    """
    home = environ.get("SPARK_HOME")
    if not home:
        return
    found = sorted(path.stem.split("-")[2] for path in Path(home, "jars").glob("spark-core_*-*.jar"))
    remedy = f"unset SPARK_HOME, or set it to an installation of Spark {pyspark.__version__}"
    if not found:
        raise CannotRun(f"SPARK_HOME is {home}, which has no Spark (jars/spark-core_*.jar): {remedy}")
    if pyspark.__version__ not in found:
        raise CannotRun(f"SPARK_HOME is {home}, which is Spark {found[0]}: {remedy}")


def java_end(spark: SparkSession) -> str | None:
    """Return how the Java process of Spark ended, with the remedy; None while it runs."""
    process = getattr(spark.sparkContext._gateway, "proc", None)
    try:
        status = None if process is None else process.wait(JAVA_GRACE)
    except TimeoutExpired:
        return None
    return None if status is None else f"Spark's Java process ended during the job: {how_ended(status)}"


def how_ended(status: int) -> str:
    """Return the meaning of an exit status, with the remedy."""
    if status >= 0:
        return f"it exited with status {status}; see its log"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else "?"
    text = f"it was killed by signal {-status} ({name})"
    if -status != signal.SIGKILL:
        return text
    return f"{text}: out of memory? Reduce Spark's memory (--memory, TERCAST_SPARK_MEMORY), or add memory"


def stop_session(spark: SparkSession) -> None:
    """Stop Spark; an error of Java does not matter here."""
    with suppress(Exception):
        spark.stop()


def is_local(master: str) -> bool:
    """Whether the workers of Spark are processes on this machine."""
    return master.startswith("local")


def ship_packages(spark: SparkSession) -> None:
    """Send both packages to remote workers, which need NumPy, pandas and PyArrow installed."""
    folder = Path(mkdtemp(prefix="tercast-spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "tercast-analytics.zip"
    with ZipFile(path, "w") as packed:
        for module in (tercast.__file__, analytics.__file__):
            package = Path(module).resolve().parent
            for source in sorted(package.rglob("*.py")):
                packed.write(source, source.relative_to(package.parent))
    spark.sparkContext.addPyFile(str(path))


def _prepare_environment(master: str) -> None:
    """Make workers import the same packages and run the same Python, unless another one is set."""
    homes = [str(Path(module).resolve().parents[1]) for module in (tercast.__file__, analytics.__file__)]
    given = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([*homes, *given]))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if is_local(master):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def check_workers(spark: SparkSession, master: str) -> None:
    """Check that workers run the Python of this process, if they may run another one.

    Raises:
        CannotRun: The workers run another Python, or do not respond.
    """
    python = os.environ["PYSPARK_PYTHON"]
    if python == sys.executable and is_local(master):
        return
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
    hint = f"set PYSPARK_PYTHON to a Python {mine} that is installed on the workers"
    if is_local(master) and shutil.which(python) is None:
        raise CannotRun(f"PYSPARK_PYTHON is {python}, which is not executable; {hint}")
    late = Event()

    def give_up() -> None:
        late.set()
        spark.sparkContext.cancelAllJobs()

    patience = Timer(PATIENCE, give_up)
    patience.start()
    try:
        spark.sparkContext.parallelize([0], 1).map(lambda _: sys.version_info[:2]).collect()
    except Exception as error:
        if late.is_set():
            rule = "the job needs a worker with a free core and enough memory (--memory)"
            raise CannotRun(f"no worker of {master} accepted a task within {PATIENCE} s: {rule}") from None
        if "PYTHON_VERSION_MISMATCH" in str(error) or "different version" in str(error):
            raise CannotRun(f"the workers run {python}, which is not Python {mine}; {hint}") from None
        raise CannotRun(f"{python}, the Python of the workers, does not work; {hint}") from None
    finally:
        patience.cancel()


def first_line(error: BaseException) -> str:
    """Return the reason of an error in 300 characters, from one line of its text."""
    text = str(error) if isinstance(error, PySparkException) else str(getattr(error, "java_exception", error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    traced = [line for line in lines if _RAISED.match(line)] if "Traceback (most recent" in text else []
    return (traced or lines or [type(error).__name__])[-1 if traced else 0][:300]
