"""Utilities of all packages of the control plane: problems, wake-ups, processes and clocks."""
