"""Library for hosts: publishers, subscribers, the wire format of events, and transports."""
