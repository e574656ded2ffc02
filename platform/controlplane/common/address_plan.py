"""What every part of the control plane plans with: the address plan and the limits of encoding."""

from functools import cache

from django.conf import settings

from tercast.eventspace.address_plan import AddressPlan

MAX_DZ_PER_FILTER = 50
MAX_TREES = 64


@cache
def address_plan() -> AddressPlan:
    """The address plan of the installation, by `TERCAST_ADDRESS_FAMILY`."""
    return AddressPlan.default(settings.ADDRESS_FAMILY)


def max_dz_length() -> int:
    """The longest dz, in bits: all the room that the addresses have."""
    return address_plan().dz_room
