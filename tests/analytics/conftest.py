"""One Spark session for all tests of analytics, and a telemetry root with faults."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.analytics import messy_telemetry

# Short runs spend most of their time in the second compiler of Java, which helps only long ones.
os.environ["SPARK_SUBMIT_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

from analytics.errors import CannotRun
from analytics.spark.java import check_java
from analytics.spark.session import start_session


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    try:
        check_java()
    except CannotRun as missing:
        pytest.skip(str(missing))
    session = start_session("local[1]", "1g")
    session.conf.set("spark.sql.shuffle.partitions", "1")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def messy(tmp_path_factory: pytest.TempPathFactory) -> messy_telemetry.Messy:
    return messy_telemetry.make(tmp_path_factory.mktemp("messy [1]{2}"))


@pytest.fixture(scope="session")
def subscriptions_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("subscriptions") / "subscriptions.json"
    path.write_text(json.dumps(messy_telemetry.SUBSCRIPTIONS))
    return path
