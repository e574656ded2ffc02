"""The tree of partitions: offers, roles of borders, and the state machine of a node."""
