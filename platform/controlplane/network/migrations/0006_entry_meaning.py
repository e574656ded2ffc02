"""Columns with the topic and dz of each entry, for filters of lists."""

from django.db import migrations, models

_CHUNK = 2000


def tell_meanings(apps, editor):
    from controlplane.network.entry_match import meaning

    entries = apps.get_model("network", "InstalledEntry").objects
    last = 0
    while chunk := list(entries.filter(pk__gt=last).order_by("pk").only("pk", "dst")[:_CHUNK]):
        for row in chunk:
            row.code, row.dz = meaning(row.dst)
        entries.bulk_update(chunk, ["code", "dz"], batch_size=200)
        last = chunk[-1].pk


class Migration(migrations.Migration):
    dependencies = [
        ("network", "0005_lists"),
    ]

    operations = [
        migrations.AddField(
            model_name="installedentry",
            name="code",
            field=models.PositiveIntegerField(
                help_text='of the topic; null: the match is not one of the plan', null=True
            ),
        ),
        migrations.AddField(
            model_name="installedentry",
            name="dz",
            field=models.CharField(help_text='the dz in `dst`', max_length=128, null=True),
        ),
        migrations.AddIndex(
            model_name="installedentry",
            index=models.Index(fields=["switch", "code", "dz"], name="entry_switch_code_dz"),
        ),
        migrations.RunPython(tell_meanings, migrations.RunPython.noop),
    ]
