"""Shared parts of the REST API: errors, strict bodies, pages, filters, permissions, waiting."""
