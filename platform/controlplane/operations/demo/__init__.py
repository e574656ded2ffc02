"""From an empty installation to the first delivered event: demo network, test events, connecting switches."""
