"""Schedules in the admin pages, beside the periodic tasks that say when they run."""

from django.contrib import admin

from controlplane.analytics.models import Schedule


@admin.register(Schedule)
class ScheduleAdmin(admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """A job, its windows, and its periodic task."""

    list_display = ("name", "job", "window", "task", "last_due")
    fields = ("name", "job", "window", "task")
