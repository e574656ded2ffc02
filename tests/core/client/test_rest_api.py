"""The REST helper against a small server of its own: pages, tokens, problems, and answers that are none."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest

from tercast.client.metadata_sources import AnnouncedFilter, HostRecord
from tercast.client.rest_api import Api, ApiSource
from tercast.errors import Refused
from tercast.wire.errors import ApiError

TOPIC = {
    "id": 1,
    "url": "/api/v1/topics/1/",
    "name": "quotes",
    "code": 4,
    "attributes": [{"name": "low", "type": "int", "min": 0, "max": "9007199254740993"}],
    "indexed": ["low"],
}


def page(*rows, following=None):
    return 200, {"next": following, "previous": None, "results": list(rows)}


@pytest.fixture
def server():
    """An HTTP server; `answers` maps path and query to (status, JSON or bytes), `asked` keeps requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            parts = urlsplit(self.path)
            key = parts.path + "".join(f" {name}={value}" for name, value in parse_qsl(parts.query))
            own.asked.append((key, self.headers.get("Authorization")))
            status, body, *headers = own.answers.get(
                key, (404, {"title": "Not found", "detail": f"no {key}"})
            )
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            pass

    own = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    own.answers, own.asked = {}, []
    thread = threading.Thread(target=own.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield own
    own.shutdown()
    thread.join()
    own.server_close()


@pytest.fixture
def url(server):
    return f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def source(url):
    return ApiSource(Api(url, "secret"))


def test_topics_hosts_and_advertisements_are_learnt(server, source):
    server.answers |= {
        "/api/v1/topics/ name=quotes": page(TOPIC),
        "/api/v1/hosts/ name=h1": page(
            {"name": "h1", "ip": "fd00::1", "mac": "02:00:00:00:00:01", "port": 3}
        ),
        "/api/v1/advertisements/12/": (
            200,
            {"id": 12, "topic": "quotes", "filter": "low < 9", "state": "active"},
        ),
    }
    assert source.topic("quotes").code == 4
    assert source.topic("quotes").attribute("low").max == 2**53 + 1
    assert source.host("h1") == HostRecord("h1", "fd00::1", "02:00:00:00:00:01")
    assert (
        source.advertisement("a12")
        == source.advertisement("12")
        == AnnouncedFilter("a12", "quotes", "low < 9")
    )
    assert {token for _, token in server.asked} == {"Bearer secret"}


def test_subscriptions_come_page_by_page_without_those_that_ended(server, source):
    rows = [
        {"id": n, "topic": "quotes", "filter": f"low < {n + 1}", "state": state}
        for n, state in enumerate(["active", "withdrawn", "queued", "failed", "active"])
    ]
    server.answers |= {
        "/api/v1/subscriptions/ host=h2": page(
            *rows[:3], following="/api/v1/subscriptions/?host=h2&cursor=abc"
        ),
        "/api/v1/subscriptions/ host=h2 cursor=abc": page(*rows[3:]),
    }
    assert [entry.name for entry in source.subscriptions("h2")] == ["q0", "q2", "q4"]


def test_the_token_comes_from_a_file(server, url, tmp_path):
    file = tmp_path / "token"
    file.write_text("from-file\n")
    server.answers["/api/v1/me/"] = (200, {})
    Api.with_token_file(url, file).get("api/v1/me/")
    Api.with_token_file(url, None).get("api/v1/me/")
    assert [token for _, token in server.asked] == ["Bearer from-file", None]
    with pytest.raises(ApiError, match="cannot read the token"):
        Api.with_token_file(url, tmp_path / "nowhere")
    file.write_text("# A page\n\nwith a secret\n")
    with pytest.raises(ApiError, match="the token has spaces or line breaks") as refused:
        Api.with_token_file(url, file)
    assert "secret" not in str(refused.value)


def test_a_problem_is_one_line_with_all_its_errors(server, source):
    errors = [
        {"pointer": "/name", "code": "bad", "detail": '"x y" is not a name.\nTake another.', "value": "x y"},
        {"pointer": "/port", "code": "bad", "detail": "0 is not a port.", "value": 0},
    ]
    problem = {
        "title": "Bad request",
        "status": 400,
        "detail": "2 are wrong; see `errors`.",
        "errors": errors,
    }
    server.answers["/api/v1/hosts/ name=h1"] = (400, problem)
    with pytest.raises(ApiError) as caught:
        source.host("h1")
    text = str(caught.value)
    assert "\n" not in text
    assert (
        'hosts/?name=h1: 400 Bad request: 2 are wrong: /name "x y" is not a name. Take another; '
        "/port 0 is not a port"
    ) in text
    server.answers["/api/v1/hosts/ name=h1"] = (
        400,
        {**problem, "detail": "0 is not a port.", "errors": errors[1:]},
    )
    with pytest.raises(ApiError, match=r"400 Bad request: /port 0 is not a port$"):
        source.host("h1")


@pytest.mark.parametrize(
    ("rows", "message"),
    [((), "no objects have the name 'h1'; check it"), (({}, {}), "2 objects have the name 'h1'; check it")],
)
def test_a_name_of_no_object_or_of_several_is_refused(server, source, rows, message):
    server.answers["/api/v1/hosts/ name=h1"] = page(*rows)
    with pytest.raises(ApiError, match=message):
        source.host("h1")


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'"text"', b"\xff", b"[" * 100_000, b'{"errors": 3}']
)
def test_an_error_that_is_no_problem_document_is_one_line_too(server, source, body):
    server.answers["/api/v1/hosts/ name=h1"] = (503, body)
    with pytest.raises(ApiError, match=r"\?name=h1: 503 Service Unavailable$"):
        source.host("h1")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"3",
        b"\xff",
        b"[" * 100_000,
        b'{"results": 3}',
        b'{"results": [NaN]}',
        b'{"results": []}',
        b'{"results": [1, {}]}',
        b'{"results": [{"name": "h1", "ip": null, "mac": 3}]}',
        b'{"results": [{}, {}]}',
    ],
)
def test_an_answer_of_another_shape_is_one_line(server, source, body):
    server.answers["/api/v1/hosts/ name=h1"] = (200, body)
    server.answers["/api/v1/advertisements/1/"] = (200, body)
    for ask in (lambda: source.host("h1"), lambda: source.advertisement("a1")):
        with pytest.raises(ApiError) as caught:
            ask()
        assert "\n" not in str(caught.value)


def test_a_topic_that_this_version_does_not_understand_is_refused(server, source):
    server.answers["/api/v1/topics/ name=quotes"] = page(
        TOPIC | {"attributes": [{"name": "low", "type": "colour"}]}
    )
    with pytest.raises(Refused, match=r"topic.attributes\[0\].type"):
        source.topic("quotes")


@pytest.mark.parametrize("name", ["", "a", "x1", "a1/../../hosts/1", "-1", "a1?x", "a²"])
def test_an_id_that_is_none_is_not_even_asked_for(server, source, name):
    with pytest.raises(ApiError, match="is not the id of an advertisement"):
        source.advertisement(name)
    assert server.asked == []


def test_the_token_goes_to_no_other_server(server, source, url):
    server.answers["/api/v1/hosts/ name=h1"] = (302, b"", ("Location", f"{url}/elsewhere"))
    with pytest.raises(ApiError, match="302"):
        source.host("h1")
    server.answers["/api/v1/hosts/ name=h1"] = page(following="http://localhost:1/api")
    with pytest.raises(ApiError, match="refers to another server"):
        source.host("h1")
    assert len(server.asked) == 2


@pytest.mark.parametrize("bad", ["", "127.0.0.1:8000", "file:///etc/passwd", "ftp://x"])
def test_only_http_addresses_are_taken(bad):
    with pytest.raises(ApiError, match="must start with http"):
        Api(bad)


def test_a_server_that_is_not_there_is_one_line():
    with pytest.raises(ApiError, match=r"GET http://127.0.0.1:1/api/v1/me/: .*refused"):
        Api("http://127.0.0.1:1").get("api/v1/me/")
    with pytest.raises(ApiError, match="GET http://"):
        Api("http://127.0.0.1:99999").get("api/v1/me/")
