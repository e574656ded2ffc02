"""`manage.py audit [SWITCH ...] [--dry-run]`: compare tables with the plan, and repair them."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from controlplane.common.problems import Problem
from controlplane.deployment import switch_sync
from controlplane.deployment.audits import audits, worker
from controlplane.deployment.audits.compare import TableDifference
from controlplane.deployment.audits.models import Audit, Check, CheckState, DriftKind
from controlplane.worker.management.base_command import PlatformCommand

PATIENCE_SECONDS = 120.0
GOOD = (CheckState.EQUAL, CheckState.REPAIRED)


class Command(PlatformCommand):
    """Audit in this process; the exit status is 1 if a switch differs from the plan at the end."""

    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the switches and the choice between repair and dry run."""
        parser.add_argument("switch", nargs="*", help="names of switches (default: all)")
        how = parser.add_mutually_exclusive_group()
        how.add_argument(
            "--repair", action="store_true", default=True, help="repair the differences (default)"
        )
        how.add_argument("--dry-run", action="store_false", dest="repair", help="only report, change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Request an audit, wait for it, and print the result."""
        known = switch_sync.switches()
        unknown = [name for name in options["switch"] if name not in known]
        if unknown:
            raise CommandError(
                f"unknown switch {', '.join(map(repr, unknown))}; see the page Network for the names"
            )
        try:
            audit = audits.ask(options["switch"] or None, options["repair"], None)
        except Problem as problem:
            raise CommandError(str(problem.detail)) from problem
        self._await(audit)
        checks = list(audit.checks.all())
        for check in checks:
            self._print_check(check)
        bad = [check.switch for check in checks if check.state not in GOOD]
        if bad:
            raise CommandError(f"{len(bad)} of {len(checks)} switches do not match the plan", returncode=1)

    def _await(self, audit: Audit) -> None:
        """Work on the audit, or wait for another process that holds the lock."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not audits.is_over(audit.pk):
            if time.monotonic() > end:
                raise CommandError(
                    f"audit {audit.pk} is incomplete after {PATIENCE_SECONDS:.0f} s; the worker continues it"
                )
            if not worker.run() and not audits.is_over(audit.pk):
                time.sleep(0.2)

    def _print_check(self, check: Check) -> None:
        reason = f": {check.detail}" if check.detail else ""
        self.stdout.write(f"{check.switch}: {check.state}{reason}")
        rows = check.drifts.values_list("kind", "dst", "in_port", "priority", "what", "expected", "found")
        for kind, dst, in_port, priority, what, expected, found in rows:
            one = TableDifference(DriftKind(kind), dst, in_port, priority, what, expected, found)
            self.stdout.write(
                f"  {kind}: {one.name}{_actions('expected', expected)}{_actions('found', found)}"
            )


def _actions(what: str, actions: list[Any] | None) -> str:
    return "" if actions is None else f", {what} {actions}"
