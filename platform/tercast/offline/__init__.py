"""Scenario and plan files."""
