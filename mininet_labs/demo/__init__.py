"""The demo: the whole platform on the embedded fabric, with real stock quotes as events."""
