"""Address plan and encoding limits of the control plane."""

from functools import cache

from django.conf import settings

from tercast.eventspace.address_plan import AddressPlan

MAX_DZ_PER_FILTER = 50
MAX_TREES = 64


@cache
def address_plan() -> AddressPlan:
    """Return the address plan of the installation, by `TERCAST_ADDRESS_FAMILY`."""
    return AddressPlan.default(settings.ADDRESS_FAMILY)


def max_dz_length() -> int:
    """Return the length of the longest dz that fits in the addresses, in bits."""
    return address_plan().dz_room
