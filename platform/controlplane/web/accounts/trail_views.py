"""View of `/api/v1/audit/actions/`."""

from drf_spectacular.utils import extend_schema, extend_schema_view

from controlplane.accounts.roles import Role
from controlplane.accounts.trail.models import Action, ActionOutcome
from controlplane.rest.base_views import ListAndRead
from controlplane.rest.query_parameters import ID, INTEGER, TEXT, TIME, QueryFilterField, choice
from controlplane.web.accounts.trail_serializers import AuditedActionSerializer


@extend_schema_view(
    list=extend_schema(operation_id="actions_list", tags=["accounts"]),
    retrieve=extend_schema(operation_id="actions_read", tags=["accounts"]),
)
class ActionViewSet(ListAndRead):
    """Audit trail for administrators: user, action, time, and source address."""

    queryset = Action.objects.all()
    serializer_class = AuditedActionSerializer
    noun = "action"
    read_role = Role.ADMINISTRATOR
    csv = True
    filters = (
        ID,
        QueryFilterField("at", "at", TIME, ("gte", "lte")),
        QueryFilterField("actor", "actor", TEXT, ("in",)),
        QueryFilterField("token_id", "token_id", INTEGER, ("in",)),
        QueryFilterField("address", "address", TEXT, ("in",)),
        QueryFilterField("method", "method", TEXT, ("in",)),
        QueryFilterField("resource", "resource", TEXT, ("in",)),
        QueryFilterField("outcome", "outcome", choice(*ActionOutcome.values), ("in",)),
        QueryFilterField("status", "status", INTEGER, ("in", "gte", "lte")),
        QueryFilterField("call", "call", TEXT),
    )
    search = ("actor", "token", "client", "address", "object", "detail", "call")
    orderings = ("id", "at")
