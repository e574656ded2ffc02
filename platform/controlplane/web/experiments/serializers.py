"""Serializers of experiments; they describe the documents in the schema."""

from typing import Any

from rest_framework import serializers

VERDICTS = ("holds", "differs", "undecided", "not run")
SOURCES = ("paper", "ours")


class ClaimSerializer(serializers.Serializer[Any]):
    """Claim of a paper, with its rule, verdict and measured values."""

    id = serializers.CharField(help_text="name of the claim within its figure")
    text = serializers.CharField(help_text="in the words of the paper")
    source = serializers.CharField(help_text="section of the paper")  # type: ignore[assignment]
    rule = serializers.CharField(help_text="rule that decides the verdict; defined before the measurement")
    verdict = serializers.ChoiceField(choices=VERDICTS, help_text="what the rule decided")
    value = serializers.CharField(help_text="measured values that led to the verdict")
    reason = serializers.CharField(required=False, help_text="why the result differs, if this is understood")


class ExperimentSummarySerializer(serializers.Serializer[Any]):
    """Figure of a paper, with the verdicts of its claims."""

    name = serializers.CharField(help_text="name in addresses")
    paper = serializers.CharField(help_text="short name of the paper")
    paper_title = serializers.CharField(help_text="name and year of the paper")
    figure = serializers.CharField(help_text="number in the paper")
    title = serializers.CharField(help_text="what the figure shows")
    size = serializers.CharField(help_text="quick or full")
    seeds = serializers.ListField(
        child=serializers.IntegerField(help_text="a seed"), help_text="seeds of the random numbers"
    )
    verdict = serializers.ChoiceField(choices=VERDICTS, help_text="verdict of the worst claim")
    claims = ClaimSerializer(many=True, help_text="claims of the paper about the figure")
    command = serializers.CharField(help_text="command that repeats the measurement")


class ExperimentListSerializer(serializers.Serializer[Any]):
    """All figures with results."""

    experiments = ExperimentSummarySerializer(many=True, help_text="figures that have results")


class ExperimentParameterSerializer(serializers.Serializer[Any]):
    """Parameter of an experiment."""

    name = serializers.CharField(help_text="name of the parameter")
    value = serializers.CharField(help_text="value as one line")
    source = serializers.ChoiceField(choices=SOURCES, help_text="who chose it")  # type: ignore[assignment]
    reason = serializers.CharField(required=False, help_text="why we chose the value")


class LineSerializer(serializers.Serializer[Any]):
    """Line of a diagram; a point is x, and lowest, mean and highest y of the seeds."""

    series = serializers.CharField(help_text="name of the line")
    points = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(), min_length=4, max_length=4),
        help_text="x, and lowest, mean and highest y of the seeds",
    )


class PanelSerializer(serializers.Serializer[Any]):
    """Diagram of a figure."""

    y = serializers.CharField(help_text="name of the measured value")
    label = serializers.CharField(help_text="label of the y axis, with the unit")  # type: ignore[assignment]
    title = serializers.CharField(allow_blank=True, help_text="what the figure shows")
    group = serializers.CharField(allow_blank=True, help_text="group of the rows that it shows")
    x = serializers.CharField(help_text="name of the value of the x axis")
    x_label = serializers.CharField(help_text="label of the x axis, with the unit")
    lines = LineSerializer(many=True, help_text="one line for each series")


class SeedRunSerializer(serializers.Serializer[Any]):
    """Circumstances of the measurement of one seed."""

    experiment = serializers.CharField(help_text="name of the measurement")
    seed = serializers.IntegerField(help_text="seed of the random numbers")
    started = serializers.DateTimeField(help_text="time of the start")
    seconds = serializers.FloatField(help_text="duration")
    processor_seconds = serializers.FloatField(help_text="processor time")
    load_before = serializers.FloatField(help_text="load average of the machine at the start")
    load_after = serializers.FloatField(help_text="load average of the machine at the end")
    commit = serializers.CharField(allow_blank=True, help_text="commit of the code")
    cpu = serializers.CharField(help_text="model of the processor")
    cores = serializers.IntegerField(help_text="number of cores")
    ram_gib = serializers.FloatField(help_text="memory in GiB")
    kernel = serializers.CharField(help_text="version of the Linux kernel")
    python = serializers.CharField(help_text="version of Python")
    numpy = serializers.CharField(allow_null=True, help_text="version of NumPy")
    numba = serializers.CharField(allow_null=True, help_text="version of Numba; null if it is missing")
    llvmlite = serializers.CharField(allow_null=True, help_text="version of llvmlite; null if it is missing")
    kernels_ready = serializers.BooleanField(help_text="whether all kernels were compiled before the start")
    open_vswitch = serializers.CharField(
        allow_null=True, help_text="version of Open vSwitch; null if it is missing"
    )


class ExperimentRunSerializer(serializers.Serializer[Any]):
    """Circumstances of all measurements; `noisy`: times were measured under load."""

    noisy = serializers.BooleanField(help_text="whether times were measured with more load than cores")
    seeds = SeedRunSerializer(many=True, help_text="measurements, one for each seed and experiment")


class ExperimentSerializer(ExperimentSummarySerializer):
    """Figure of a paper with parameters, diagrams and circumstances."""

    parameters = ExperimentParameterSerializer(
        many=True, help_text="parameters, chosen by the paper or by us"
    )
    panels = PanelSerializer(many=True, help_text="diagrams")
    timed = serializers.ListField(child=serializers.CharField(), help_text="values that are times")
    run = ExperimentRunSerializer(help_text="circumstances of the measurement")
