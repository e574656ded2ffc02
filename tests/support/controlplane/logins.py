"""Log-ins of users."""

from tests.support.controlplane.api_fixtures import Caller

GOOD = "correct horse battery"


def log_in(username, password, caller=None, address="127.0.0.1", path="/login/"):
    caller = caller or Caller(enforce_csrf_checks=True)
    caller.get(path)
    body = {
        "username": username,
        "password": password,
        "csrfmiddlewaretoken": caller.cookies["csrftoken"].value,
    }
    return caller.post(path, body, format="multipart", REMOTE_ADDR=address)
