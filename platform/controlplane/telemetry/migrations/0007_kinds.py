"""Set the kind of the client that sent each report."""

from typing import Any

from django.db import migrations


def fill(apps: Any, schema_editor: Any) -> None:
    """Set the kind of the client with the report's name and a token.

    If both kinds exist, use the publisher.
    """
    reports, tokens = apps.get_model("telemetry", "TrafficReport"), apps.get_model("accounts", "Token")
    for kind in ("publisher", "subscriber"):
        names = tokens.objects.exclude(**{kind: None}).values(f"{kind}__name")
        reports.objects.filter(kind="", reporter__in=names).update(kind=kind)


class Migration(migrations.Migration):
    """Set `kind`; the reverse migration does not change it."""

    dependencies = [
        ("telemetry", "0006_owners"),
        ("accounts", "0003_edits"),
        ("registry", "0007_reach"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
