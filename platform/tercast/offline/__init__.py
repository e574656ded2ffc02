"""Offline tools: scenario and plan files, planning, checks and simulation."""
