"""Hosts on a network that a test controls."""

import pytest

from tercast.eventspace.topic import Int, Topic
from tercast.wire.event_codec import Event, EventCodec
from tercast.wire.packets import pack_ip

QUOTES = Topic("quotes", 4, (Int("low", 0, 1023),))


OWN, OTHER = "fd00::1", "fd00::9"


class Network:
    """A transport that says where each payload comes from."""

    def __init__(self):
        self.waiting = []

    def send(self, dst_ip, payload):
        """Nothing."""

    def receive(self, timeout=None):
        found = self.receive_from(timeout)
        return found and found[0]

    def receive_from(self, timeout=None):
        return self.waiting.pop(0) if self.waiting else None

    def fileno(self):
        return -1

    def close(self):
        """Nothing."""

    def bring(self, seq, source, publisher="a6", low=92):
        event = Event("quotes", 4, publisher, seq, 0, {"low": low})
        self.waiting.append((EventCodec(QUOTES).encode(event), pack_ip(source)))


@pytest.fixture
def network():
    return Network()
