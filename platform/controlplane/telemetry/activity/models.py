"""Latest event counters of each reporter, by advertisement, subscription and host."""

from django.db import models


def _once(name: str) -> models.UniqueConstraint:
    """Return a constraint: one row for each object and reporter."""
    return models.UniqueConstraint(fields=("about", "reporter"), name=name)


class Activity(models.Model):
    """Events of an object that a reporter counted since its start, and the latest time."""

    reporter = models.ForeignKey("telemetry.TrafficReport", on_delete=models.CASCADE, related_name="+")
    events = models.PositiveBigIntegerField()
    last_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class AdvertisementActivity(Activity):
    """Events that were published under an advertisement."""

    about = models.ForeignKey("registry.Advertisement", on_delete=models.CASCADE, related_name="activity")
    owner = models.ForeignKey("registry.Publisher", null=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = (_once("one_advertisement_activity"),)


class SubscriptionActivity(Activity):
    """Events that were delivered to a subscription."""

    about = models.ForeignKey("registry.Subscription", on_delete=models.CASCADE, related_name="activity")
    owner = models.ForeignKey("registry.Subscriber", null=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = (_once("one_subscription_activity"),)


class HostActivity(Activity):
    """Events that reached a host; `unwanted` counts the false positives among them."""

    about = models.ForeignKey("network.Host", on_delete=models.CASCADE, related_name="activity")
    unwanted = models.PositiveBigIntegerField()

    class Meta:
        constraints = (_once("one_host_activity"),)
