"""Tercast's core library: event space, filters, dz, planner, verifier; no framework in it."""
