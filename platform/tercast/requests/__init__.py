"""Requests of the log: their kinds, their JSON, and their outcomes."""
