"""Explanation of one event: its path, the entries that it matches, and its receivers."""
