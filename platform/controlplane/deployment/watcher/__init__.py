"""Watching switches, ports and links."""
