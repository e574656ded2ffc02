"""Switches, links and hosts."""
