"""A WebSocket client of the ASGI application in this process, and functions that fill the outbox."""

import asyncio
import json
from dataclasses import dataclass, field

from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator

from controlplane.live.consumer import LiveConsumer
from controlplane.requestlog import outbox

ORIGIN = "http://testserver"
PATIENCE = 60.0


@dataclass
class End:
    code: int
    reason: str
    error: dict | None = None


@dataclass
class Stream:
    """A client; `say` and `hear` use JSON."""

    app: object
    headers: dict = field(default_factory=dict)
    path: str = "/ws/v1/live/"

    async def open(self):
        headers = {"host": "testserver", **self.headers}
        scope = {
            "type": "websocket",
            "path": self.path,
            "raw_path": self.path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "ws",
            "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
            "subprotocols": [],
        }
        self.wire = ApplicationCommunicator(self.app, scope)
        await self.wire.send_input({"type": "websocket.connect"})
        answer = await self.wire.receive_output(PATIENCE)
        assert answer["type"] == "websocket.accept", answer
        return self

    async def say(self, message):
        text = message if isinstance(message, str) else json.dumps(message)
        await self.wire.send_input({"type": "websocket.receive", "text": text})

    async def hear(self):
        output = await self.wire.receive_output(PATIENCE)
        assert output["type"] == "websocket.send", output
        return json.loads(output["text"])

    async def hear_end(self):
        """Return all messages until the server closes; the last but one may be an error."""
        error = None
        while True:
            output = await self.wire.receive_output(PATIENCE)
            if output["type"] == "websocket.close":
                return End(output.get("code", 1000), output.get("reason", ""), error)
            message = json.loads(output["text"])
            error = message if message["type"] == "error" else error

    async def begin(self, from_):
        """Receive the hello, send `from`, and return the answer."""
        hello = await self.hear()
        await self.say({"type": "from", "id": from_})
        return hello, await self.hear()

    async def events(self, count):
        """Return the next `count` events without pings."""
        found = []
        while len(found) < count:
            message = await self.hear()
            if message["type"] != "ping":
                assert message["type"] == "event", message
                found.append(message)
        return found

    async def leave(self):
        await self.wire.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wire.wait(PATIENCE)


def application(**limits):
    return LiveConsumer.as_asgi(**limits)


emit = sync_to_async(outbox.emit)


@sync_to_async
def emit_many(count, kind="load"):
    return [outbox.emit(kind, {"n": n}).id for n in range(count)]


async def until(condition, patience=PATIENCE):
    """Wait until `condition()` holds."""
    async with asyncio.timeout(patience):
        while not condition():
            await asyncio.sleep(0.005)
