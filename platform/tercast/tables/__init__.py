"""Flow entries of a switch, their differences, and their covers."""
