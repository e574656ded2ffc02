"""A feed, callers and streams of the live stream's tests."""

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import Client

from controlplane.accounts.tokens import issue_token
from controlplane.live.feed import OutboxFeed
from tests.support.controlplane import live_streams as support


@pytest.fixture
def feed():
    """A feed of the test's own, quick to poll."""
    return OutboxFeed(interval=0.01)


@pytest.fixture
def viewer(transactional_db):
    return User.objects.create_user("vera")


@pytest.fixture
def token(viewer):
    return issue_token(viewer, "test")


@pytest.fixture
def session(viewer):
    """Headers of a browser that is logged in as the viewer."""
    client = Client()
    client.force_login(viewer)
    return {"cookie": f"sessionid={client.cookies['sessionid'].value}", "origin": support.ORIGIN}


@pytest.fixture
def opened(feed, token):
    """Opens a stream with the viewer's token; `opened(**limits)`."""

    async def open_stream(**limits):
        app = support.application(feed=feed, **limits)
        return await support.Stream(app, {"authorization": f"Bearer {token}"}).open()

    return open_stream


@pytest.fixture
def in_thread():
    return sync_to_async
