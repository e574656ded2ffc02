"""URLs of PostgreSQL and Redis: odd passwords reach the server whole, and no message shows one."""

from urllib.parse import quote

import pytest
from kombu import Connection

from controlplane.common import server_urls
from controlplane.config.env import BadSetting, Environment

PASSWORD = "geheim"


@pytest.mark.parametrize("password", ["a@b:c/d%e#f?g[h]$i&j=k l\\m'n\"o", "%2F", "12/34", "ü€", "@", "$HOME"])
def test_an_encoded_password_is_read_whole(password):
    encoded = quote(password, safe="")
    database = Environment.read({"TERCAST_DATABASE_URL": f"postgresql://u:{encoded}@h:5433/d"}).database
    wanted = {"USER": "u", "PASSWORD": password, "HOST": "h", "PORT": 5433, "NAME": "d"}
    assert {name: database[name] for name in wanted} == wanted
    url = Environment.read({"TERCAST_REDIS_URL": f"redis://:{encoded}@h:6380/2"}).redis_url
    found = Connection(server_urls.broker(url))
    assert (found.hostname, found.port, found.password, str(found.virtual_host)) == ("h", 6380, password, "2")


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:geheim@h/x",
        "u:geheim@h/x",
        "postgresql:u:geheim@h/x",
        "host=h password=geheim",
        "host=h password='x geheim'",
        "postgresql://u:x/geheim@h:5432/d",
        "postgresql://u:12/geheim@h:5432/d",
        "postgresql://u:12?geheim@h:5432/d",
        "postgresql://u:12?geheim=x@h:5432/d",
        "postgresql://u:x#geheim@h:5432/d",
        "postgresql://u:x[geheim@h:5432/d",
        "postgresql://u:geheim@h:99999/d",
        "postgresql://u:geheim@h:0/d",
        "postgresql://u:geheim@h:port/d",
        "postgresql://u:geheim@h:5432",
        "postgresql://u:geheim@h:5432/",
        "postgresql://u:geheim@h:5432/a/b",
        "postgresql://u:geheim@h/d?pool=1",
        "postgresql://u@h/d?password=geheim",
        "sqlite://",
        "sqlite://relative/path",
        "sqlite:///path?mode=ro",
    ],
)
def test_a_bad_url_of_a_database_is_named_without_its_password(url):
    with pytest.raises(BadSetting, match="TERCAST_DATABASE_URL=") as caught:
        Environment.read({"TERCAST_DATABASE_URL": url})
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://:geheim@h/0",
        "h:6379",
        "redis://:x/geheim@h:6379/0",
        "redis://:12/geheim@h:6379/0",
        "redis://:x#geheim@h:6379/0",
        "redis://:x[geheim@h/0",
        "redis://:12?geheim@h/0",
        "redis://:geheim@h:port/0",
        "redis://:geheim@h:6379/abc",
        "redis://h:6379/0?password=geheim",
        "unix:///run/redis.sock?db=3&password=geheim",
        "unix://",
    ],
)
def test_a_bad_url_of_redis_is_named_without_its_password(url):
    with pytest.raises(BadSetting, match="TERCAST_REDIS_URL=") as caught:
        Environment.read({"TERCAST_REDIS_URL": url})
    assert PASSWORD not in str(caught.value)


def test_parameters_of_the_connection_are_kept():
    url = "postgresql://u@/d?host=/run/PostgreSQL&sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem"
    options = {"host": "/run/PostgreSQL", "sslmode": "verify-full", "sslrootcert": "/etc/ca.pem"}
    assert Environment.read({"TERCAST_DATABASE_URL": url}).database["OPTIONS"] == options


@pytest.mark.parametrize(
    "url, wanted",
    [
        ("redis://h:6379/0", "redis://h:6379/0"),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock"),
        ("unix://:p%40@/run/redis.sock?db=3", "redis+socket://:p%40@/run/redis.sock?virtual_host=3"),
    ],
)
def test_celery_gets_a_socket_in_its_own_scheme(url, wanted):
    assert Environment.read({"TERCAST_REDIS_URL": url}).redis_url == url
    assert server_urls.broker(url) == wanted
    assert Connection(wanted).transport is not None
