"""Relay between switches in a network namespace and a controller outside of it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from pathlib import Path

_CHUNK = 1 << 16


class Relay:
    """Relays bytes between clients of the socket `path` and 127.0.0.1:`port`, both ways."""

    def __init__(self, path: Path, port: int) -> None:
        self._path, self._port = path, port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lab-relay", daemon=True)
        self._pairs: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Listen, and return when clients can connect."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def stop(self) -> None:
        """Close every connection and the socket."""
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._path.unlink(missing_ok=True)

    async def _listen(self) -> None:
        self._server = await asyncio.start_unix_server(self._accept, self._path)

    async def _close(self) -> None:
        self._server.close()
        for pair in self._pairs:
            pair.cancel()
        await asyncio.gather(*self._pairs, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._pairs.add(task)
        try:
            await self._join(reader, writer)
        finally:
            self._pairs.discard(task)
            writer.close()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay until one side ends; without a controller the connection ends immediately."""
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            return
        ways = [asyncio.ensure_future(way) for way in (_pass(reader, far_writer), _pass(far_reader, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            far_writer.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
