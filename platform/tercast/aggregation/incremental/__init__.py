"""LA and its extension: covers that follow each request."""
