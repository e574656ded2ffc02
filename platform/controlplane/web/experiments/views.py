"""Views of `/api/v1/experiments/`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.problems import no_such
from controlplane.experiments.results import experiment, summaries
from controlplane.rest.base_views import StrictView
from controlplane.web.experiments.serializers import ExperimentListSerializer, ExperimentSerializer


class ExperimentListView(StrictView):
    """Figures of the papers with their verdicts."""

    @extend_schema(operation_id="experiments_list", tags=["experiments"], responses=ExperimentListSerializer)
    def get(self, request: Request) -> Response:
        """List the figures of the papers that have results, with the verdict of each claim."""
        return Response({"experiments": summaries()})


class ExperimentView(StrictView):
    """Figure of a paper."""

    versioned = False

    @extend_schema(operation_id="experiments_read", tags=["experiments"], responses=ExperimentSerializer)
    def get(self, request: Request, pk: str) -> Response:
        """Read a figure with its parameters, diagrams and circumstances."""
        found = experiment(pk)
        if found is None:
            raise no_such("experiment", pk)
        return Response(found)
