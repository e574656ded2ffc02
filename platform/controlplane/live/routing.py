"""WebSocket routes."""

from typing import Any, cast

from channels.routing import URLRouter
from django.urls import path, re_path

from controlplane.live.consumer import LiveConsumer


async def not_found(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Refuse the handshake for a path that is none of ours."""
    await receive()
    await send({"type": "websocket.close"})


def websocket_routes() -> URLRouter:
    """The live stream, and a refusal for every other path."""
    return URLRouter([path("ws/v1/live/", LiveConsumer.as_asgi()), re_path(r"", cast("Any", not_found))])
