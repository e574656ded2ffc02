"""Admin pages of periodic tasks, which refuse rows that cannot run."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django_celery_beat.admin import (
    CrontabScheduleAdmin,
    IntervalScheduleAdmin,
    PeriodicTaskAdmin,
    PeriodicTaskForm,
    SolarScheduleAdmin,
)
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from controlplane.periodic.row_faults import KINDS, SOLAR, faults, reason
from controlplane.periodic.schedule_rows import crontab_of, interval_length


class CheckedTaskForm(PeriodicTaskForm):  # type: ignore[misc] # django-celery-beat has no types
    """Form of a periodic task; if the task cannot run, it can only be disabled."""

    def _post_clean(self) -> None:
        """Check the complete row, after each field is valid."""
        super()._post_clean()
        if self.errors or (not self.instance.enabled and set(self.changed_data) <= {"enabled"}):
            return
        for fault in faults(self.instance):
            self.add_error(fault.field if fault.field in self.fields else None, _sentence(fault.detail))


class CheckedScheduleForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """Form of a schedule that has a next time."""

    check: Callable[[Any], object]

    def _post_clean(self) -> None:
        """Check the complete row, after each field is valid."""
        super()._post_clean()  # type: ignore[misc] # the hook after the row is made, not in the stubs
        if self.errors:
            return
        try:
            type(self).check(self.instance)
        except (ValueError, OverflowError) as error:
            self.add_error(None, _sentence(str(error)))


class CrontabForm(CheckedScheduleForm):
    """Form of a crontab that runs at some time."""

    check = staticmethod(crontab_of)


class IntervalForm(CheckedScheduleForm):
    """Form of an interval that is long enough not to fill a queue."""

    check = staticmethod(interval_length)


def _refuse_solar(row: SolarSchedule) -> None:
    raise ValueError(SOLAR)


class SolarForm(CheckedScheduleForm):
    """Form that refuses every row, because no library for solar schedules is installed."""

    check = staticmethod(_refuse_solar)


class TaskAdmin(PeriodicTaskAdmin):  # type: ignore[misc]
    """Periodic tasks, with the reason why some cannot run."""

    form = CheckedTaskForm
    list_display = (*PeriodicTaskAdmin.list_display, "problem")

    @admin.display(description="problem")
    def problem(self, row: PeriodicTask) -> str:
        """Return why the task cannot run."""
        return reason(row) or ""

    def crontab_translation(self, row: PeriodicTask) -> str:
        """Return the crontab in words; empty for other schedules."""
        return str(row.crontab.human_readable) if row.crontab else ""

    def enable_tasks(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> None:
        """Enable the tasks that can run."""
        super().enable_tasks(request, queryset.filter(pk__in=self._runnable(request, queryset)))

    def toggle_tasks(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> None:
        """Disable enabled tasks, and enable those that can run."""
        disabled = queryset.filter(enabled=False)
        able = self._runnable(request, disabled)
        super().toggle_tasks(request, queryset.exclude(pk__in=disabled.exclude(pk__in=able).values("pk")))

    def run_tasks(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> None:
        """Send the tasks that can run."""
        super().run_tasks(request, queryset.filter(pk__in=self._runnable(request, queryset)))

    def _runnable(self, request: HttpRequest, rows: QuerySet[PeriodicTask]) -> list[int]:
        able = []
        for row in rows.select_related(*KINDS):
            why = reason(row)
            if why is None:
                able.append(row.pk)
            else:
                self.message_user(request, _sentence(f"{row.name} cannot run: {why}"), level=messages.ERROR)
        return able


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _register(model: type[Model], base: type[admin.ModelAdmin], **own: Any) -> None:  # type: ignore[type-arg]
    admin.site.unregister(model)
    admin.site.register(model, type(f"Checked{base.__name__}", (base,), own))


_register(PeriodicTask, TaskAdmin)
_register(CrontabSchedule, CrontabScheduleAdmin, form=CrontabForm)
_register(IntervalSchedule, IntervalScheduleAdmin, form=IntervalForm)
_register(SolarSchedule, SolarScheduleAdmin, form=SolarForm)
