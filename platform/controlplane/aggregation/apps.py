"""Configuration of the app that keeps tables within TCAM budgets: the policy, and its runs."""

from django.apps import AppConfig


class AggregationConfig(AppConfig):
    """Aggregation of the network's tables."""

    name = "controlplane.aggregation"
    label = "aggregation"
