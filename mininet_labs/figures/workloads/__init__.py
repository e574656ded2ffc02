"""Networks, filters and events from seeded generators."""
