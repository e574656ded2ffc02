"""A batch of telemetry as a Parquet file: its rows, or everything that is wrong with its columns."""

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
    """The body as bytes, up to one more than is taken."""

    media_type = MEDIA_TYPE

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """The bytes; raises `Problem` for too many of them."""
        content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise too_large(f"The body is larger than {MAX_BYTES} bytes. Split it into several batches.")
        return content


def read_rows(content: bytes, dataset: Dataset) -> list[dict[str, Any]]:
    """The rows of a file, columns in the dataset's types; raises `Problem`, with every error by column."""
    import pyarrow as pa  # noqa: PLC0415 - most calls of the API need none
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
                detail = f"There is no column {field.name}; there are {', '.join(table.column_names)}."
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
        raise too_large(f"The batch has {metadata.num_rows} rows; at most {MAX_ROWS} are taken. Split it.")
    unpacked = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if unpacked > MAX_UNPACKED:
        raise too_large(f"The batch unpacks to {unpacked} bytes; at most {MAX_UNPACKED} are taken. Split it.")


def _zoned(column: Any, wanted: Any) -> Any:
    """Times without a zone are in UTC, as in the jobs; numbers are not times."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_timestamp(wanted) and not pa.types.is_timestamp(column.type):
        raise ValueError(f"{column.type} is no time")
    if pa.types.is_timestamp(wanted) and column.type.tz is None:
        return column.cast(pa.timestamp(column.type.unit, tz="UTC"))
    if pa.types.is_string(wanted) and not (
        pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    ):
        raise ValueError(f"{column.type} is no text")
    return column


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:300]
