"""Views of `/api/v1/<resource>/<id>/affected/`."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import no_such
from controlplane.explain.impact.counts import affected
from controlplane.network.models import Host, Link, Switch
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription, Topic
from controlplane.rest.base_views import StrictView
from controlplane.rest.query_parameters import read_id
from controlplane.web.requests.impact_serializers import AffectedSerializer

OF: dict[str, type[Any]] = {
    "topics": Topic,
    "publishers": Publisher,
    "subscribers": Subscriber,
    "advertisements": Advertisement,
    "subscriptions": Subscription,
    "switches": Switch,
    "links": Link,
    "hosts": Host,
}


class AffectedView(StrictView):
    """Effects of removing an object."""

    model: type[Any]

    def get(self, request: Request, pk: str) -> Response:
        """Count what the removal would affect, such as subscriptions and hosts, also while in use."""
        row = self.model._default_manager.filter(pk=read_id(pk)).first()
        if row is None:
            raise no_such(self.model._meta.verbose_name, pk)
        return Response(affected(row))


def view_of(resource: str) -> Any:
    """Return the view of one resource, with a separate operation in the schema."""
    made = type(f"Affected{resource.title()}View", (AffectedView,), {"model": OF[resource]})
    get = extend_schema(
        operation_id=f"{resource}_affected", tags=[resource], responses={200: AffectedSerializer}
    )
    return extend_schema_view(get=get)(made)
