"""Who is affected where something goes: an announcement, who made it, a topic, a host, a switch, a link."""
