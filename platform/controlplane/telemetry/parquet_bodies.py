"""Reader of telemetry batches that are sent as Parquet files."""

import io
from typing import IO, Any

from rest_framework.parsers import BaseParser

from controlplane.common.problems import FieldError, invalid, too_large
from controlplane.telemetry.batches import MAX_ROWS
from tercast.telemetry import Dataset
from tercast.telemetry.writer import arrow_schema

MEDIA_TYPE = "application/vnd.apache.parquet"
MAX_BYTES = 32 * 1024 * 1024
MAX_UNPACKED = 256 * 1024 * 1024
_OPENED_KINDS = "a Parquet file with the columns of the dataset"


class ParquetParser(BaseParser):
    """Parser that returns the body as bytes, up to `MAX_BYTES`."""

    media_type = MEDIA_TYPE

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """Return the bytes of the body.

        Raises:
            Problem: The body is larger than `MAX_BYTES`.
        """
        content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise too_large(f"The body is larger than {MAX_BYTES} bytes. Split it into several uploads.")
        return content


def read_rows(content: bytes, dataset: Dataset) -> list[dict[str, Any]]:
    """Return the rows of a file, converted to the types of the dataset.

    Raises:
        Problem: The file is too large, or is not a Parquet file with the columns of the dataset. The problem
            contains the errors of all columns.
    """
    import pyarrow as pa  # noqa: PLC0415 - most API calls do not need it
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        _check_size(file.metadata)
        table = file.read()
    except (pa.ArrowException, OSError, ValueError) as error:
        detail = f"The body is not {_OPENED_KINDS}: {_first_line(error)}."
        raise invalid([FieldError("", "not_parquet", detail)]) from None
    needed = {*dataset.key, dataset.time}
    errors, columns = [], {}
    for field in arrow_schema(dataset):
        if field.name not in table.column_names:
            if field.name in needed:
                detail = f"Column {field.name} is missing; there are {', '.join(table.column_names)}. Add it."
                errors.append(FieldError(f"/{field.name}", "missing_column", detail))
            continue
        try:
            columns[field.name] = _zoned(table.column(field.name), field.type).cast(field.type).to_pylist()
        except (pa.ArrowException, ValueError, OverflowError) as error:
            detail = f"Column {field.name} is not of type {field.type}: {_first_line(error)}."
            errors.append(FieldError(f"/{field.name}", "wrong_type", detail))
    for name in table.column_names:
        if name not in arrow_schema(dataset).names:
            detail = f"{dataset.name} has no column {name}; it has {', '.join(arrow_schema(dataset).names)}."
            errors.append(FieldError(f"/{name}", "unknown_column", detail))
    if errors:
        raise invalid(errors)
    names = list(columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _check_size(metadata: Any) -> None:
    if metadata.num_rows > MAX_ROWS:
        raise too_large(f"The upload has {metadata.num_rows} rows; at most {MAX_ROWS} are allowed. Split it.")
    unpacked = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if unpacked > MAX_UNPACKED:
        raise too_large(
            f"The upload unpacks to {unpacked} bytes; at most {MAX_UNPACKED} are allowed. Split it."
        )


def _zoned(column: Any, wanted: Any) -> Any:
    """Return the column; times without a zone become times in UTC, as in the jobs.

    Raises:
        ValueError: The column is not a time or not a text where the dataset requires one.
    """
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_timestamp(wanted) and not pa.types.is_timestamp(column.type):
        raise ValueError(f"{column.type} is not a time")
    if pa.types.is_timestamp(wanted) and column.type.tz is None:
        return column.cast(pa.timestamp(column.type.unit, tz="UTC"))
    if pa.types.is_string(wanted) and not (
        pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    ):
        raise ValueError(f"{column.type} is not a text")
    return column


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:300]
