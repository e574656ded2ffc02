"""Library for hosts: publishers, subscribers, the wire format of events, and transports.

Programs import its names from here (`from tercast.client import Publisher`). Its modules can change.
The first use of a name loads its module, so a host loads only what it needs.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tercast.client.arrivals import Counters, Delivery
    from tercast.client.duplicates import SeenEvents
    from tercast.client.event_origins import FixedOrigins, LearnedOrigins
    from tercast.client.host_key import HostKey
    from tercast.client.inband import Signaller
    from tercast.client.inband_lease import InBandLeaseSource
    from tercast.client.lease import PublisherLease
    from tercast.client.metadata_sources import MetadataSource, ScenarioSource
    from tercast.client.publisher import Publisher
    from tercast.client.rest_api import Api, ApiLeaseSource, ApiOrigins, ApiSource
    from tercast.client.sequence import Sequence
    from tercast.client.subscriber import Subscriber
    from tercast.client.telemetry import ApiSink, HostTelemetry, RejectionReports
    from tercast.client.transports import FabricPort, Transport, UdpSocket
    from tercast.errors import Refused, TercastError
    from tercast.eventspace.address_plan import AddressPlan
    from tercast.eventspace.topic import Topic
    from tercast.filters.filter import Filter
    from tercast.signalling.messages import PORT
    from tercast.telemetry.recorder import Recorder
    from tercast.telemetry.sinks import FolderSink
    from tercast.wire.errors import (
        ApiError,
        LeaseLapsed,
        NoAnswer,
        NotTaken,
        SequenceError,
        TransportClosed,
        TransportError,
    )
    from tercast.wire.framing import FrameStream

__all__ = [
    "PORT",
    "AddressPlan",
    "Api",
    "ApiError",
    "ApiLeaseSource",
    "ApiOrigins",
    "ApiSink",
    "ApiSource",
    "Counters",
    "Delivery",
    "FabricPort",
    "Filter",
    "FixedOrigins",
    "FolderSink",
    "FrameStream",
    "HostKey",
    "HostTelemetry",
    "InBandLeaseSource",
    "LearnedOrigins",
    "LeaseLapsed",
    "MetadataSource",
    "NoAnswer",
    "NotTaken",
    "Publisher",
    "PublisherLease",
    "Recorder",
    "Refused",
    "RejectionReports",
    "ScenarioSource",
    "SeenEvents",
    "Sequence",
    "SequenceError",
    "Signaller",
    "Subscriber",
    "TercastError",
    "Topic",
    "Transport",
    "TransportClosed",
    "TransportError",
    "UdpSocket",
]

_MODULES = {
    "AddressPlan": "eventspace.address_plan",
    "Api": "client.rest_api",
    "ApiError": "wire.errors",
    "ApiLeaseSource": "client.rest_api",
    "ApiOrigins": "client.rest_api",
    "ApiSink": "client.telemetry",
    "ApiSource": "client.rest_api",
    "Counters": "client.arrivals",
    "Delivery": "client.arrivals",
    "FabricPort": "client.transports",
    "Filter": "filters.filter",
    "FixedOrigins": "client.event_origins",
    "FolderSink": "telemetry.sinks",
    "FrameStream": "wire.framing",
    "HostKey": "client.host_key",
    "HostTelemetry": "client.telemetry",
    "InBandLeaseSource": "client.inband_lease",
    "LearnedOrigins": "client.event_origins",
    "LeaseLapsed": "wire.errors",
    "MetadataSource": "client.metadata_sources",
    "NoAnswer": "wire.errors",
    "NotTaken": "wire.errors",
    "PORT": "signalling.messages",
    "Publisher": "client.publisher",
    "PublisherLease": "client.lease",
    "Recorder": "telemetry.recorder",
    "Refused": "errors",
    "RejectionReports": "client.telemetry",
    "ScenarioSource": "client.metadata_sources",
    "SeenEvents": "client.duplicates",
    "Sequence": "client.sequence",
    "SequenceError": "wire.errors",
    "Signaller": "client.inband",
    "Subscriber": "client.subscriber",
    "TercastError": "errors",
    "Topic": "eventspace.topic",
    "Transport": "client.transports",
    "TransportClosed": "wire.errors",
    "TransportError": "wire.errors",
    "UdpSocket": "client.transports",
}
"""The module of each name of `__all__`, without the first part `tercast.`."""


def __getattr__(name: str) -> object:
    """Load a public name of the library.

    Raises:
        AttributeError: The library has no such name.
    """
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"tercast.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
