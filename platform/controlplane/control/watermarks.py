"""What a watcher remembers from run to run, in the transaction of what it did about it."""

from typing import Any

from controlplane.control.models import Watermark


def recall(name: str, default: Any) -> Any:
    """The value last kept under `name`, or `default`."""
    row = Watermark.objects.filter(name=name).first()
    return default if row is None else row.value


def hold(name: str, default: Any) -> Any:
    """The same in a transaction; until it ends, nobody else holds `name`."""
    Watermark.objects.get_or_create(name=name, defaults={"value": default})
    return Watermark.objects.select_for_update().get(name=name).value


def keep(name: str, value: Any) -> None:
    """Remember `value` under `name`."""
    Watermark.objects.update_or_create(name=name, defaults={"value": value})
