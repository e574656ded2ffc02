"""REST views of topics, participants and announcements."""
