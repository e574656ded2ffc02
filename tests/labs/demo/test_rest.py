"""The demo's client of the control plane: calls that are refused for a while are repeated."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.rest import MOST_TRIES, RestClient


@pytest.fixture
def answers():
    """Yield the address of a server that returns (status, headers) in turn, the last one repeatedly."""
    calls, script = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            status, headers = script[min(len(calls), len(script) - 1)]
            calls.append(self.path)
            body = json.dumps({"detail": "busy"}).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", script, calls
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_is_put_off_is_asked_for_again(answers):
    base, script, calls = answers
    busy = (503, {"Retry-After": "0"})
    script[:] = [busy, busy, (202, {})]
    rest = RestClient(base, "token")
    assert rest.post("hosts/", {}) == {"detail": "busy"} and len(calls) == 3

    calls.clear()
    script[:] = [busy]
    with pytest.raises(DemoError, match="answered 503: busy"):
        rest.post("hosts/", {})
    assert len(calls) == MOST_TRIES

    calls.clear()
    script[:] = [(503, {})]
    with pytest.raises(DemoError, match="503"):
        rest.post("hosts/", {})
    assert len(calls) == 1
    rest.close()
