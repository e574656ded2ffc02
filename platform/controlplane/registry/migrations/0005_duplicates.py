from typing import Any

from django.db import migrations, models

from controlplane.registry.filter_digests import digest_of_dz, digest_of_filter
from tercast.errors import TercastError
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter

_PAGE = 2000


def fill(apps: Any, schema_editor: Any) -> None:
    """Set the digest of the first row of equivalent ones.

    Later rows get no digest, because they are duplicates.
    """
    for name, owner in (("Advertisement", "publisher_id"), ("Subscription", "subscriber_id")):
        model = apps.get_model("registry", name)
        using = schema_editor.connection.alias
        rows = model.objects.using(using).filter(withdrawal=None).exclude(state__in=("failed", "withdrawn"))
        _fill(model, rows.select_related("topic").order_by("id"), owner, using)


def _fill(model: Any, rows: Any, owner: str, using: str) -> None:
    topics: dict[int, Topic] = {}
    known: dict[tuple[int, str], str | None] = {}
    seen: set[tuple[int, int, str]] = set()
    changed = []
    for row in rows.iterator(_PAGE):
        digest = _digest(row, topics, known)
        key = (getattr(row, owner), row.topic_id, digest or "")
        if digest is not None and key not in seen:
            seen.add(key)
            row.digest = digest
            changed.append(row)
    model.objects.using(using).bulk_update(changed, ("digest",), batch_size=500)


def _digest(row: Any, topics: dict[int, Topic], known: dict[tuple[int, str], str | None]) -> str | None:
    if row.by_dz:
        return digest_of_dz(row.dz)
    key = (row.topic_id, row.filter)
    if key not in known:
        known[key] = _digest_of_text(row, topics)
    return known[key]


def _digest_of_text(row: Any, topics: dict[int, Topic]) -> str | None:
    topic = row.topic
    try:
        if topic.pk not in topics:
            fields = {name: getattr(topic, name) for name in ("name", "code", "attributes", "indexed")}
            topics[topic.pk] = Topic.from_json(fields)
        return digest_of_filter(Filter.parse(row.filter, topics[topic.pk]))
    except TercastError:  # a filter that this version cannot read duplicates nothing
        return None


class Migration(migrations.Migration):
    dependencies = [("registry", "0004_lists")]

    operations = [
        *(
            migrations.AddField(
                model_name=model,
                name="digest",
                field=models.CharField(
                    help_text="equal for filters that are known to be equivalent", max_length=64, null=True
                ),
            )
            for model in ("advertisement", "subscription")
        ),
        migrations.AddIndex(
            model_name="advertisement", index=models.Index(fields=["digest"], name="advertisement_digest")
        ),
        migrations.AddIndex(
            model_name="subscription", index=models.Index(fields=["digest"], name="subscription_digest")
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
