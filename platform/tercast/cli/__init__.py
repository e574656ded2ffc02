"""The `tercast` command."""
