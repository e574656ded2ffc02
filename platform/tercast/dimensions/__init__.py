"""Choice of indexed attributes: by explained variance (PLEROMA, section 5) or measured cost."""
