"""Monitoring of switches, ports and links."""
