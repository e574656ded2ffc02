"""The control channel of one switch."""
