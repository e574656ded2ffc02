"""Notifications between the processes of one machine."""
