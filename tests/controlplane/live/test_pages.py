"""Who sees the page, and logging in and out."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db
ACCOUNT = {"username": "vera", "password": "a long password"}


@pytest.fixture
def vera():
    return User.objects.create_user(**ACCOUNT)


def test_the_page_needs_a_log_in(client):
    response = client.get("/")
    assert (response.status_code, response.headers["Location"]) == (302, "/login/?next=/")


def test_logging_in_leads_to_where_one_was_going(client, vera):
    answer = client.post(
        "/login/?next=/api/docs/", {"username": "vera", "password": "a long password", "next": "/api/docs/"}
    )
    assert answer.headers["Location"] == "/api/docs/"
    assert client.get("/login/").headers["Location"] == "/", "who is logged in is sent on"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_logging_in_leads_to_no_other_site(client, vera, target):
    answer = client.post("/login/", {**ACCOUNT, "next": target})
    assert answer.headers["Location"] == "/"


def test_a_wrong_password_is_reported(client, vera):
    answer = client.post("/login/", {"username": "<b>vera</b>", "password": "no"})
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "correct username and password" in text
    assert 'value="&lt;b&gt;vera&lt;/b&gt;"' in text


def test_log_out_is_a_post(client, vera):
    client.force_login(vera)
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/").headers["Location"] == "/login/"
    assert client.get("/").status_code == 302


def test_a_form_of_another_site_is_refused_with_the_remedy(vera):
    browser = Client(enforce_csrf_checks=True)
    answer = browser.post("/login/", ACCOUNT)
    assert answer.status_code == 403
    assert "reload the page" in answer.content.decode()
