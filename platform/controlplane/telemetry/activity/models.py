"""Counters of events by advertisement, subscription and host, the latest of each reporter."""

from django.db import models


def _once(name: str) -> models.UniqueConstraint:
    """A reporter tells once of a thing."""
    return models.UniqueConstraint(fields=("about", "reporter"), name=name)


class Activity(models.Model):
    """What a reporter counted of something since it started, and when it last saw an event of it."""

    reporter = models.ForeignKey("telemetry.TrafficReport", on_delete=models.CASCADE, related_name="+")
    events = models.PositiveBigIntegerField()
    last_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class AdvertisementActivity(Activity):
    """Events published under an advertisement."""

    about = models.ForeignKey("registry.Advertisement", on_delete=models.CASCADE, related_name="activity")
    owner = models.ForeignKey("registry.Publisher", null=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = (_once("one_advertisement_activity"),)


class SubscriptionActivity(Activity):
    """Events that a subscription got."""

    about = models.ForeignKey("registry.Subscription", on_delete=models.CASCADE, related_name="activity")
    owner = models.ForeignKey("registry.Subscriber", null=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = (_once("one_subscription_activity"),)


class HostActivity(Activity):
    """Events that reached a host; `unwanted`: no subscription there wanted them."""

    about = models.ForeignKey("network.Host", on_delete=models.CASCADE, related_name="activity")
    unwanted = models.PositiveBigIntegerField()

    class Meta:
        constraints = (_once("one_host_activity"),)
