"""Rename the model; its table keeps the name, so the database does not change."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("telemetry", "0007_kinds")]

    operations = [
        migrations.AlterModelTable("ToldRequest", "telemetry_toldrequest"),
        migrations.RenameModel("ToldRequest", "ExportedRequest"),
        migrations.AlterField(
            "ExportedRequest",
            "request",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                primary_key=True,
                related_name="exported",
                serialize=False,
                to="control.request",
            ),
        ),
    ]
