"""Pictures of event spaces: two attributes of a topic, and what lies where."""
