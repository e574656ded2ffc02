"""What keeps a backup, a restore or a compaction from being carried out."""


class UpkeepError(Exception):
    """Something cannot be done now; the text says what, why, and the remedy."""
