"""The ASGI application: Django serves HTTP, and the live stream serves WebSockets."""

import os

import django
from channels.routing import ProtocolTypeRouter

from tercast.runtime.private_files import keep_private

keep_private()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
django.setup(set_prefix=False)  # loads the apps, which the next imports need

from uvicorn.protocols.http.auto import AutoHTTPProtocol  # noqa: E402

from controlplane.common.database_patience import keep_readable, shorten_waits  # noqa: E402
from controlplane.config import call_threads, connection_limits  # noqa: E402
from controlplane.live.routing import websocket_routes  # noqa: E402
from controlplane.rest.size_limits import Intake  # noqa: E402

shorten_waits()
call_threads.keep_connections()
keep_readable()
connection_limits.raise_limit()
connection_limits.guard(AutoHTTPProtocol)
application = ProtocolTypeRouter(
    {"http": Intake(call_threads.CallHandler()), "websocket": websocket_routes()}
)
