"""What all packages of the control plane use: problems, wake-ups, processes and clocks."""
