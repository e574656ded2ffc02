"""Telemetry: rows about events, tables and requests, for Parquet files."""

from tercast.telemetry.datasets import (
    DATASETS,
    DELIVERED,
    PUBLISHED,
    REQUESTS,
    TABLE_SNAPSHOTS,
    Column,
    Dataset,
)

__all__ = ["DATASETS", "DELIVERED", "PUBLISHED", "REQUESTS", "TABLE_SNAPSHOTS", "Column", "Dataset"]
