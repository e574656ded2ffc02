"""Simulation of events in tables."""
