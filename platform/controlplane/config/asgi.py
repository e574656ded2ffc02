"""The ASGI application: Django serves HTTP, and the live stream serves WebSockets."""

import os
import warnings

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

from tercast.runtime.private_files import keep_private

keep_private()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
# WhiteNoise returns files as a synchronous iterator. They are small and are read immediately.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
http = get_asgi_application()  # loads the apps, which the next import needs

from uvicorn.protocols.http.auto import AutoHTTPProtocol  # noqa: E402

from controlplane.common.database_patience import keep_readable, shorten_waits  # noqa: E402
from controlplane.config import connection_limits  # noqa: E402
from controlplane.live.routing import websocket_routes  # noqa: E402
from controlplane.rest.size_limits import Intake  # noqa: E402

shorten_waits()
keep_readable()
connection_limits.raise_limit()
connection_limits.guard(AutoHTTPProtocol)
application = ProtocolTypeRouter({"http": Intake(http), "websocket": websocket_routes()})
