"""For hosts: publishers and subscribers, the events between them as bytes, and the ways these travel."""
