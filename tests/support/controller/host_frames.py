"""Frames with control messages of hosts."""

from __future__ import annotations

from tercast.signalling.messages import PORT
from tercast.wire.packets import group_mac, pack_ip, udp_frame

PUNT = 0x7EC0A57E00000003


MAC = bytes.fromhex("020000000001")


HOSTS = {"ff1e::25": "fd00::1", "225.0.0.37": "10.0.0.1"}


def frame(payload=b"hello", to="ff1e::25", source=None, port=PORT, udp_port=5000, mac=MAC):
    target = pack_ip(to)
    return udp_frame(
        (mac, group_mac(target)), pack_ip(source or HOSTS[to]), target, payload, (udp_port, port)
    )
