"""`/api/v1/audit/actions/`."""

from drf_spectacular.utils import extend_schema, extend_schema_view

from controlplane.accounts.roles import Role
from controlplane.accounts.trail.models import Action, Outcome
from controlplane.rest.base_views import ListAndRead
from controlplane.rest.query_parameters import ID, INTEGER, TEXT, TIME, Filter, choice
from controlplane.web.accounts.trail_serializers import AuditedActionSerializer


@extend_schema_view(
    list=extend_schema(operation_id="actions_list", tags=["accounts"]),
    retrieve=extend_schema(operation_id="actions_read", tags=["accounts"]),
)
class ActionViewSet(ListAndRead):
    """Who did or tried what, when, and from where; for administrators."""

    queryset = Action.objects.all()
    serializer_class = AuditedActionSerializer
    noun = "action"
    read_role = Role.ADMINISTRATOR
    csv = True
    filters = (
        ID,
        Filter("at", "at", TIME, ("gte", "lte")),
        Filter("actor", "actor", TEXT, ("in",)),
        Filter("token_id", "token_id", INTEGER, ("in",)),
        Filter("address", "address", TEXT, ("in",)),
        Filter("method", "method", TEXT, ("in",)),
        Filter("resource", "resource", TEXT, ("in",)),
        Filter("outcome", "outcome", choice(*Outcome.values), ("in",)),
        Filter("status", "status", INTEGER, ("in", "gte", "lte")),
        Filter("call", "call", TEXT),
    )
    search = ("actor", "token", "client", "address", "object", "detail", "call")
    orderings = ("id", "at")
