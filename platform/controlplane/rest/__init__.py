"""What all of the REST API shares: errors, strict bodies, pages, filters, permissions, waiting."""
