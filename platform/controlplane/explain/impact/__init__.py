"""Effects of removing an announcement, its owner, a topic, a host, a switch or a link."""
