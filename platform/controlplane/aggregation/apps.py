"""Tables within TCAM budgets, at the least needless traffic: the policy, and its runs."""

from django.apps import AppConfig


class AggregationConfig(AppConfig):
    """The network's aggregation."""

    name = "controlplane.aggregation"
    label = "aggregation"
