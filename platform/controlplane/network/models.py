"""Switches with their ports and TCAM budgets, links, hosts, and tables as the switches confirmed them."""

from django.db import models


class Switch(models.Model):
    """An OpenFlow switch; `name` is its id in the planner, `dpid` 16 hex digits."""

    name = models.CharField(max_length=100, unique=True)
    dpid = models.CharField(max_length=16, unique=True)
    label = models.CharField(max_length=200, blank=True)
    latitude = models.FloatField(null=True)
    longitude = models.FloatField(null=True)
    tcam_budget = models.PositiveIntegerField(
        null=True, help_text="content entries it may hold; null is unlimited"
    )
    capacity = models.PositiveIntegerField(
        null=True, help_text="content entries that it was found to have room for; null: no limit was met"
    )
    features = models.JSONField(default=dict, help_text="what it told at connect: capacity, groups, meters")
    lacks = models.JSONField(
        default=list, help_text="what it can do without, and has not or tells nothing of"
    )
    exact_entries = models.PositiveIntegerField(
        default=0, help_text="content entries that the plan would have without aggregation"
    )
    up = models.BooleanField(default=True, help_text="as the planner has it")
    connected = models.BooleanField(default=False)
    epoch = models.BigIntegerField(default=0, help_text="of the controller's connection")
    reconciled_epoch = models.BigIntegerField(
        default=0, help_text="epoch in which its table last equalled the plan"
    )
    address = models.CharField(max_length=100, blank=True)
    problems = models.JSONField(default=list)
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    removal = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "switches"

    def __str__(self) -> str:
        return self.name

    @property
    def limit(self) -> int | None:
        """How many content entries its table is planned for at most: the smaller of budget and capacity."""
        known = [number for number in (self.tcam_budget, self.capacity) if number is not None]
        return min(known, default=None)


class Port(models.Model):
    """A port of a switch, as the controller reports it."""

    switch = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="ports")
    number = models.PositiveBigIntegerField()
    name = models.CharField(max_length=64, blank=True)
    mac = models.CharField(max_length=17, blank=True)
    up = models.BooleanField(default=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("switch", "number"), name="one_port_number_a_switch"),)


class Link(models.Model):
    """A link between two switches; `a` and `b` stand as they were declared or found."""

    a = models.ForeignKey(Switch, on_delete=models.PROTECT, related_name="links_a")
    a_port = models.PositiveBigIntegerField()
    b = models.ForeignKey(Switch, on_delete=models.PROTECT, related_name="links_b")
    b_port = models.PositiveBigIntegerField()
    cost = models.PositiveIntegerField(default=1)
    up = models.BooleanField(default=True, help_text="as the planner has it")
    discovered_at = models.DateTimeField(null=True, help_text="when probes last crossed it")
    lost = models.PositiveBigIntegerField(default=0, help_text="packets sent into it that did not arrive")
    gap = models.BigIntegerField(
        null=True, help_text="by how much its ends had sent more than received, when it was last looked at"
    )
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    removal = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("a", "a_port"), name="one_link_a_port_a"),
            models.UniqueConstraint(fields=("b", "b_port"), name="one_link_a_port_b"),
        )


class FoundState(models.TextChoices):
    """What an operator has decided on a found link."""

    WAITING = "waiting"
    REJECTED = "rejected"


class FoundReason(models.TextChoices):
    """Why a found link is not added without an operator."""

    POLICY = "policy"
    EDGE_PORT = "edge_port"
    PORT_IN_USE = "port_in_use"
    SILENT = "silent"


class FoundLink(models.Model):
    """A link that probes cross and that is not in the network; one that is approved becomes a `Link`.

    `a` is the end whose switch's name comes first.
    """

    a = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="+")
    a_port = models.PositiveBigIntegerField()
    b = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="+")
    b_port = models.PositiveBigIntegerField()
    state = models.CharField(max_length=8, choices=FoundState.choices, default=FoundState.WAITING)
    reason = models.CharField(max_length=11, choices=FoundReason.choices)
    detail = models.CharField(max_length=500)
    found_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(help_text="when the controller last reported it, to about 30 s")
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("a", "a_port", "b", "b_port"), name="one_found_link"),)

    @property
    def name(self) -> str:
        """Both ends in one line. Needs `a` and `b` loaded."""
        return f"{self.a.name}:{self.a_port} to {self.b.name}:{self.b_port}"


class Host(models.Model):
    """A host at a switch port; `standby` lists further attachments, `[{"switch": name, "port": n}]`."""

    name = models.CharField(max_length=100, unique=True)
    switch = models.ForeignKey(Switch, on_delete=models.PROTECT, related_name="hosts")
    port = models.PositiveBigIntegerField()
    ip = models.GenericIPAddressField(unique=True)
    mac = models.CharField(max_length=17, unique=True)
    standby = models.JSONField(default=list, blank=True)
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    removal = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name


class InstalledEntry(models.Model):
    """A content filter that a switch has confirmed."""

    switch = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="entries")
    dst = models.CharField(max_length=64)
    code = models.PositiveIntegerField(
        null=True, help_text="of the topic; null: the match is none of the plan's"
    )
    dz = models.CharField(max_length=128, null=True, help_text="as `dst` says it")
    in_port = models.PositiveBigIntegerField(null=True)
    priority = models.PositiveIntegerField()
    actions = models.JSONField()
    confirmed_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("switch", "dst"), name="entry_switch_dst"),
            models.Index(fields=("switch", "id"), name="entry_switch_id"),
            models.Index(fields=("switch", "code", "dz"), name="entry_switch_code_dz"),
        )
        verbose_name_plural = "installed entries"


class Tree(models.Model):
    """A tree as the planner has it, kept for reading."""

    name = models.CharField(max_length=64, unique=True)
    topic = models.ForeignKey("registry.Topic", on_delete=models.CASCADE, related_name="trees")
    root = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="+")
    dz = models.JSONField()
    edges = models.JSONField(help_text="[switch, port, switch, port] each")

    class Meta:
        ordering = ("id",)
