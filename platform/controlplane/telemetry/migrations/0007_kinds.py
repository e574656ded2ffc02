"""Reports of clients get the kind of the publisher or subscriber whose token sent them."""

from typing import Any

from django.db import migrations


def fill(apps: Any, schema_editor: Any) -> None:
    """A report belongs to the client of its name that has a token; where there are both, to the publisher."""
    reports, tokens = apps.get_model("telemetry", "TrafficReport"), apps.get_model("accounts", "Token")
    for kind in ("publisher", "subscriber"):
        names = tokens.objects.exclude(**{kind: None}).values(f"{kind}__name")
        reports.objects.filter(kind="", reporter__in=names).update(kind=kind)


class Migration(migrations.Migration):
    """Fills `kind`; the way back leaves it."""

    dependencies = [
        ("telemetry", "0006_owners"),
        ("accounts", "0003_edits"),
        ("registry", "0007_reach"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
