"""Tercast's core library: event space, filters, dz, planner and verifier; no frameworks."""
