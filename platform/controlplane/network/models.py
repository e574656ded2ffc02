"""Switches with ports and TCAM budgets, links, hosts, and tables as confirmed by switches."""

from django.db import models


class Switch(models.Model):
    """An OpenFlow switch; `name` is its id in the planner, `dpid` 16 hex digits."""

    name = models.CharField(max_length=100, unique=True)
    dpid = models.CharField(max_length=16, unique=True)
    label = models.CharField(max_length=200, blank=True)
    latitude = models.FloatField(null=True)
    longitude = models.FloatField(null=True)
    tcam_budget = models.PositiveIntegerField(
        null=True, help_text="largest number of content entries; null is unlimited"
    )
    capacity = models.PositiveIntegerField(
        null=True,
        help_text="maximum content entries that the switch can store, as reported or detected; "
        "null: no limit known",
    )
    features = models.JSONField(
        default=dict, help_text="features reported at connect: capacity, groups, meters"
    )
    lacks = models.JSONField(default=list, help_text="optional features that are missing or not reported")
    exact_entries = models.PositiveIntegerField(
        default=0, help_text="content entries in the plan without aggregation"
    )
    up = models.BooleanField(default=True, help_text="state in the planner")
    connected = models.BooleanField(default=False)
    epoch = models.BigIntegerField(default=0, help_text="number of the controller's connection")
    reconciled_epoch = models.BigIntegerField(
        default=0, help_text="epoch in which the table last equalled the plan"
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
        """Largest number of planned content entries: the smaller of budget and capacity."""
        known = [number for number in (self.tcam_budget, self.capacity) if number is not None]
        return min(known, default=None)


class Port(models.Model):
    """A port of a switch as reported by the controller."""

    switch = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="ports")
    number = models.PositiveBigIntegerField()
    name = models.CharField(max_length=64, blank=True)
    mac = models.CharField(max_length=17, blank=True)
    up = models.BooleanField(default=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("switch", "number"), name="one_port_number_a_switch"),)


class Link(models.Model):
    """A link between two switches; `a` and `b` are in the declared or found order."""

    a = models.ForeignKey(Switch, on_delete=models.PROTECT, related_name="links_a")
    a_port = models.PositiveBigIntegerField()
    b = models.ForeignKey(Switch, on_delete=models.PROTECT, related_name="links_b")
    b_port = models.PositiveBigIntegerField()
    cost = models.PositiveIntegerField(default=1)
    up = models.BooleanField(default=True, help_text="state in the planner")
    discovered_at = models.DateTimeField(null=True, help_text="time when probes last crossed it")
    lost = models.PositiveBigIntegerField(default=0, help_text="packets sent into it that did not arrive")
    gap = models.BigIntegerField(
        null=True, help_text="packets that its ends had sent more than received at the last poll"
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
    """Decision of an operator on a found link."""

    WAITING = "waiting"
    REJECTED = "rejected"


class FoundReason(models.TextChoices):
    """Reason why an operator must approve a found link."""

    POLICY = "policy"
    EDGE_PORT = "edge_port"
    PORT_IN_USE = "port_in_use"
    SILENT = "silent"


class FoundLink(models.Model):
    """A link that probes cross but that is not in the network; an approved one becomes a `Link`.

    `a` is the end whose switch name comes first.
    """

    a = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="+")
    a_port = models.PositiveBigIntegerField()
    b = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="+")
    b_port = models.PositiveBigIntegerField()
    state = models.CharField(max_length=8, choices=FoundState.choices, default=FoundState.WAITING)
    reason = models.CharField(max_length=11, choices=FoundReason.choices)
    detail = models.CharField(max_length=500)
    found_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(help_text="time of the controller's last report, to about 30 s")
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("a", "a_port", "b", "b_port"), name="one_found_link"),)

    @property
    def name(self) -> str:
        """Both ends in one line. Requires that `a` and `b` are loaded."""
        return f"{self.a.name}:{self.a_port} to {self.b.name}:{self.b_port}"


class Host(models.Model):
    """A host at a port; `standby` lists more attachments, each `{"switch": name, "port": n}`."""

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
        null=True, help_text="of the topic; null: the match is not one of the plan"
    )
    dz = models.CharField(max_length=128, null=True, help_text="the dz in `dst`")
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
    """A copy of a planner's tree for readers."""

    name = models.CharField(max_length=64, unique=True)
    topic = models.ForeignKey("registry.Topic", on_delete=models.CASCADE, related_name="trees")
    root = models.ForeignKey(Switch, on_delete=models.CASCADE, related_name="+")
    dz = models.JSONField()
    edges = models.JSONField(help_text="each is [switch, port, switch, port]")

    class Meta:
        ordering = ("id",)
