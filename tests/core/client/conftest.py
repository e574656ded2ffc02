"""Topics, and a transport that stays in memory."""

import pytest

from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic
from tests.support.queued_transport import QueuedTransport


class Memory(QueuedTransport):
    """Keeps what is sent, and gives what is put in."""

    def __init__(self):
        super().__init__()
        self.sent = []

    def send(self, dst_ip, payload):
        self.sent.append((dst_ip, payload))


@pytest.fixture
def memory():
    return Memory()


@pytest.fixture
def plan():
    return AddressPlan.default("ipv6")


@pytest.fixture
def stocks():
    price = (Float(name, 0.0, 10000.0) for name in ("open", "high", "low", "close"))
    return Topic("stocks", 4, (String("symbol"), *price, Int("volume", 0, 10**12)))


@pytest.fixture
def quote():
    return {
        "symbol": "AAPL",
        "open": 31.333846775201351,
        "high": 31.5,
        "low": 30.0,
        "close": 30.1,
        "volume": 7,
    }


@pytest.fixture
def alarms():
    return Topic("alarms", 6, (Enum("level", ("low", "mid", "high")), Bool("on"), String("note")))
