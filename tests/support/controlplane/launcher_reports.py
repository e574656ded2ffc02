"""Reports of the launcher of the demo."""

BEAT = {"name": "box", "state": "offered", "switches": ["s1", "s2", "s3"], "hosts": ["h1", "h2", "h3"]}
