"""A control message as the controller delivers it: its port, its sender and its payload."""

import hashlib
from base64 import b64decode
from dataclasses import dataclass
from typing import Any

from tercast.signalling import codec
from tercast.signalling.codec import Received


@dataclass(frozen=True, slots=True)
class HostDatagram:
    """One datagram; `ip` and `mac` are texts in canonical form."""

    dpid: str
    port: int
    mac: str
    ip: str
    udp_port: int
    payload: bytes

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "HostDatagram":
        """Parse the northbound's form."""
        payload = b64decode(row["payload"])
        return cls(row["dpid"], row["port"], row["mac"], row["ip"], row["udp_port"], payload)

    @property
    def reply(self) -> dict[str, Any]:
        """Return path of an answer, in the northbound's form."""
        return {
            "dpid": self.dpid,
            "port": self.port,
            "mac": self.mac,
            "ip": self.ip,
            "udp_port": self.udp_port,
        }

    def read(self) -> Received:
        """Decode the message.

        Raises:
            MalformedMessage: The payload is not a message.
        """
        return codec.decode_message(self.payload)


def digest(received: Received) -> str:
    """Return a digest that is equal for equal messages, regardless of their seals."""
    return hashlib.sha256(codec.encode_message(received.message)).hexdigest()


def hex_id(request_id: int) -> str:
    """Return a request's id as 16 hexadecimal digits."""
    return f"{request_id:016x}"
