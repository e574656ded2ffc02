"""Celery tasks, the beat scheduler, and management commands."""
