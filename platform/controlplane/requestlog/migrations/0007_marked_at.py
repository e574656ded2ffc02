from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("control", "0006_merging")]

    operations = [
        migrations.AddField(
            model_name="switchsync",
            name="marked_at",
            field=models.DateTimeField(
                help_text="last time before a change was sent to it", null=True
            ),
        ),
    ]
