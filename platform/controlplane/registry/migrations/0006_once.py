from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the constraints in a migration of their own.

    PostgreSQL cannot alter a table in a transaction that changed its rows.
    """

    dependencies = [("registry", "0005_duplicates")]

    operations = [
        migrations.AddConstraint(
            model_name=model,
            constraint=models.UniqueConstraint(
                condition=models.Q(("withdrawal", None), models.Q(("state", "failed"), _negated=True)),
                fields=(owner, "topic", "digest"),
                name=f"{model}_once",
            ),
        )
        for model, owner in (("advertisement", "publisher"), ("subscription", "subscriber"))
    ]
