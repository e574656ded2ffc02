"""Collection of the rows of a small result on the driver, with times in UTC."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import TimestampType

from analytics.times import EPOCH

Row = dict[str, Any]


def collect_rows(results: DataFrame) -> list[Row]:
    """Collect a result; timestamps are datetimes in UTC, with their zone.

    Spark converts collected timestamps to naive times in the machine's zone. Microseconds since 1970 have no
    zone, so they are collected instead. Timestamps inside arrays, maps and structs are not converted.
    """
    times = [field.name for field in results.schema.fields if isinstance(field.dataType, TimestampType)]
    plain = results.withColumns({name: F.unix_micros(F.col(name)) for name in times}) if times else results
    rows = [row.asDict(recursive=True) for row in plain.collect()]
    for row in rows:
        for name in times:
            if row[name] is not None:
                row[name] = EPOCH + timedelta(microseconds=row[name])
    return rows
