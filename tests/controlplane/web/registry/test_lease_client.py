"""The host library with the running API: it takes a lease, follows to another encoding, returns it."""

import pytest
from django.contrib.auth.models import Group, User

from controlplane.accounts.models import Token
from controlplane.accounts.scopes import Scope
from controlplane.accounts.tokens import new_token
from controlplane.network.models import Host, Switch
from controlplane.registry.models import Advertisement, Publisher, Topic
from controlplane.registry.transitions.models import Encoding, Lease
from controlplane.requestlog.models import Request, State
from tercast.client.publisher import Publisher as Sender
from tercast.client.rest_api import Api, ApiSource
from tercast.eventspace.address_plan import AddressPlan
from tercast.wire.errors import ApiError

ATTRIBUTES = [{"name": name, "type": "int", "min": 0, "max": 3} for name in "xy"]


class Way:
    def __init__(self):
        self.sent = []

    def send(self, target, payload):
        self.sent.append(target)


@pytest.fixture
def source(transactional_db, live_server):
    """View of the publisher's program on its advertisement a1 of topic `pairs`, code 4."""
    request = Request.objects.create(kind="advertise", payload={}, state=State.ACTIVE, position=1)
    switch = Switch.objects.create(name="s1", dpid=f"{1:016x}", request=request)
    host = Host.objects.create(
        name="h1", switch=switch, port=1, ip="fd00::1", mac="02:00:00:00:00:01", request=request
    )
    topic = Topic.objects.create(name="pairs", code=4, attributes=ATTRIBUTES, indexed=["x"], request=request)
    publisher = Publisher.objects.create(name="p", host=host)
    Advertisement.objects.create(
        pk=1, publisher=publisher, topic=topic, filter="true", dz=[""], state=State.ACTIVE, request=request
    )
    user = User.objects.create_user("olga")
    user.groups.add(Group.objects.get_or_create(name="operator")[0])
    token = new_token(Token(user=user, name="test", publisher=publisher), [Scope.CLIENT])
    return ApiSource(Api(live_server.url, token))


def test_it_follows_to_another_encoding(source):
    way = Way()
    topic = source.topic("pairs")
    with source.lease("a1") as lease:
        sender = Sender(lease.begin(topic), "", way, AddressPlan.default("ipv6"), "a1", lease=lease)
        sender.publish({"x": 3, "y": 0})
        Encoding.objects.create(topic=Topic.objects.get(), version=2, code=5, indexed=["y"])
        assert lease.renew(sender) == 1.0
        sender.publish({"x": 3, "y": 0})
        assert Lease.objects.get().version == 2
        cuts = [["y", 2], ["x", 3], 1, 1, 0]
        Encoding.objects.update(version=3, code=4, indexed=["x"], cuts=cuts)
        lease.renew(sender)
        sender.publish({"x": 3, "y": 0})
        assert Lease.objects.get().version == 3 and sender.topic.cuts.to_json(sender.topic.attributes) == cuts
        Encoding.objects.update(version=4, code=5, cuts=[])
        lease.renew(sender)
        sender.publish({"x": 3, "y": 0})
    assert way.sent == ["ff0e:4:c000::", "ff0e:5::", "ff0e:4:4000::", "ff0e:5:c000::"]
    assert not Lease.objects.exists()


def test_an_advertisement_that_is_none_has_no_lease(source):
    with pytest.raises(ApiError, match="404"):
        source.lease("a9").begin(source.topic("pairs"))
    with pytest.raises(ApiError, match="not the id of an advertisement"):
        source.lease("q1x").begin(source.topic("pairs"))
