"""Admin pages of schedules, next to the periodic tasks that determine when they run."""

from django import forms
from django.contrib import admin
from django_celery_beat.models import PeriodicTask

from controlplane.analytics.models import TASK_PARTS, Schedule
from controlplane.periodic.row_faults import reason


class ScheduleForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """Form that accepts only a schedule whose task can run."""

    class Meta:
        model = Schedule
        fields = ("name", "job", "window", "task")

    def clean_task(self) -> PeriodicTask:
        """Refuse an enabled task that cannot run."""
        task: PeriodicTask = self.cleaned_data["task"]
        why = reason(task) if task.enabled else None
        if why is not None:
            raise forms.ValidationError(f"Periodic task {task.name} cannot run: {why}.")
        return task


@admin.register(Schedule)
class ScheduleAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Job, windows and periodic task of a schedule."""

    form = ScheduleForm
    list_display = ("name", "job", "window", "task", "last_due", "problem")
    list_select_related = TASK_PARTS

    @admin.display(description="problem")
    def problem(self, row: Schedule) -> str:
        """Return why the schedule cannot run."""
        return row.fault() or reason(row.task) or ""
