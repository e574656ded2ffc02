"""The source check at host ports."""
