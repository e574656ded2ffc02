"""WebSocket routes."""

from typing import Any, cast

from channels.routing import URLRouter
from django.urls import path, re_path

from controlplane.live.consumer import LiveConsumer


async def not_found(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Reject the handshake for an unknown path."""
    await receive()
    await send({"type": "websocket.close"})


def websocket_routes() -> URLRouter:
    """Return the routes: the live stream, and a rejection of all other paths."""
    return URLRouter([path("ws/v1/live/", LiveConsumer.as_asgi()), re_path(r"", cast("Any", not_found))])
