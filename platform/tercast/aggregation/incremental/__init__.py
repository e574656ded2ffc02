"""LA and its extensions: covers that are updated with each request."""
