"""The inventory of a request for erasure: search, places, decisions, what becomes of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.erasure.runs.staying import Reason
from apps.erasure.searched.unsearched import unsearched
from apps.privacy.api.inventory_serializers import (
    DecidedSerializer,
    DecisionsSerializer,
    HitSerializer,
    InventorySerializer,
    PreparedSerializer,
    SearchSerializer,
    StandingSerializer,
    StoreCountSerializer,
    TreatmentSerializer,
    TreatSerializer,
    UnsearchedSerializer,
)
from apps.privacy.api.request_parts import REVISION
from apps.privacy.api.request_serializers import RevisedSerializer
from apps.privacy.codes.inventory import Decision, Treatment
from apps.privacy.inventory.asking import inventory_request
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide
from apps.privacy.inventory.excerpts import Excerpts
from apps.privacy.inventory.redacting import redactions_prepare
from apps.privacy.inventory.selectors import (
    hits_of,
    newest,
    searched_last,
    standing,
    stores_searched,
    treatments_of,
)
from apps.privacy.models import InventoryHit
from apps.privacy.proposals.prospect import prospect
from apps.privacy.requests.selectors import erasure_request
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet, flag_filter, text_filter
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_JSON: Final = '-H "Content-Type: application/json"'
_BASE: Final = "{base}/api/v1/privacy/requests/$REQUEST_ID/inventory/"
_TAG: Final = ["Privacy"]
_MANAGE: Final[Mapping[str, Permission | None]] = {"POST": Permission.PRIVACY_MANAGE}


class _OfRequest(ApiView):
    """Answer 404 for a missing or hidden request before permissions are checked; tell other roles nothing of it."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        erasure_request(kwargs["id"])


class InventoryView(_OfRequest):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.PRIVACY_APPROVE,
        "POST": Permission.PRIVACY_MANAGE,
    }

    @extend_schema(
        operation_id="get_erasure_inventory",
        tags=_TAG,
        summary="Show the inventory of a request",
        description="Returns the progress of the search, how much was found in every store, what is open, and what "
        "must be done before the erasure can be proposed.",
        responses=InventorySerializer,
        extensions=sample(f'curl "{_BASE}" {_KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        found = erasure_request(id)
        now, last = newest(found), searched_last(found)
        treatments = [TreatmentSerializer(each).data for each in treatments_of(found).values()]
        return Response(
            {
                "search": SearchSerializer(now).data if now else None,
                "standing": StandingSerializer(asdict(standing(found))).data if last else None,
                "stores": StoreCountSerializer(stores_searched(last) if last else (), many=True).data,
                "unsearched": UnsearchedSerializer(unsearched() if last else (), many=True).data,
                "treatments": treatments,
                "problems": list(prospect(found).problems),
            }
        )

    @extend_schema(
        operation_id="search_for_erasure",
        tags=_TAG,
        summary="Search everything for the person",
        description=(
            "The worker searches all texts of the tenant. If you search again, earlier decisions stay. The request "
            "has no body."
        ),
        request=None,
        responses={
            202: OpenApiResponse(SearchSerializer, description="The search waits for the worker or is running.")
        },
        extensions=sample(f'curl -X POST "{_BASE}" {_KEY}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        made = inventory_request(id)
        made.refresh_from_db()
        return ActResponse(dict(SearchSerializer(made).data), status=202, subject_id=made.id)


class HitFilter(FilterSet):
    decision = filters.ChoiceFilter(choices=Decision.choices, empty_label=None)
    is_certain = flag_filter()
    store = text_filter(max_length=100)
    target_id = filters.UUIDFilter(help_text="The id of a document, an event or an account.")

    class Meta:
        model = InventoryHit
        fields: list[str] = []


class InventoryHitListView(ApiListView[InventoryHit], _OfRequest):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.PRIVACY_APPROVE}
    serializer_class = HitSerializer
    filterset_class = HitFilter
    ordering = ("id",)

    def get_queryset(self) -> QuerySet[InventoryHit]:
        # The description of the API is made without an address.
        return hits_of(erasure_request(self.kwargs["id"])) if self.kwargs else InventoryHit.objects.none()

    def page_context(self, page: Any) -> dict[str, Any]:
        return {"excerpts": Excerpts() if self.principal.may(Permission.PRIVACY_MANAGE) else None}

    @extend_schema(
        operation_id="list_erasure_inventory_hits",
        tags=_TAG,
        summary="List the places that were found",
        description="Returns the places of the newest search in the scopes that you hold. If you manage privacy, "
        "each place includes the words around it; otherwise only offsets.",
        extensions=sample(f'curl "{_BASE}hits/?decision=open" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class InventoryDecisionsView(_OfRequest):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="decide_erasure_inventory",
        tags=_TAG,
        summary="Decide what places are",
        description="This needs a person: a session, or a key that acts for you. Either all decisions are saved or "
        "none. A decision that somebody else made in the meantime is not overwritten: `seen` is the "
        "decision that you read.",
        request=DecisionsSerializer,
        responses=DecidedSerializer,
        extensions=sample(
            f'curl "{_BASE}decisions/" {_KEY} {_JSON} \\\n'
            '  -d "{\\"decisions\\": [{\\"hit_id\\": \\"$HIT_ID\\", '
            '\\"reason\\": \\"named\\", \\"seen\\": \\"open\\"}]}"'
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        body = DecisionsSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = [
            Said(
                hit_id=each["hit_id"],
                seen=Decision(each["seen"]),
                reason=Reason(each["reason"]) if each["reason"] is not None else None,
                words=each["words"],
            )
            for each in body.validated_data["decisions"]
        ]
        return ActResponse({"changed": hits_decide(id, said)}, status=200, subject_id=id)


class InventoryTreatmentsView(_OfRequest):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="treat_erasure_document",
        tags=_TAG,
        summary="Choose what happens to a document",
        description="Either remove the whole document, or redact it: it stays, in a version without the confirmed "
        "places. Nothing is changed yet.",
        request=TreatSerializer,
        responses=TreatmentSerializer,
        extensions=sample(
            f'curl "{_BASE}treatments/" {_KEY} {_JSON} \\\n'
            '  -d "{\\"document_id\\": \\"$DOCUMENT_ID\\", \\"treatment\\": \\"redact\\", \\"seen\\": null}"'
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        body = TreatSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        said = body.validated_data
        seen = Treatment(said["seen"]) if said["seen"] else None
        made = document_treat(id, said["document_id"], Treatment(said["treatment"]), seen=seen)
        return ActResponse(dict(TreatmentSerializer(made).data), status=200, subject_id=id)


class InventoryPrepareView(_OfRequest):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="prepare_erasure_redactions",
        tags=_TAG,
        summary="Make the redacted versions",
        description="The worker makes them. The old versions are out of search at once; nothing is removed.",
        request=RevisedSerializer,
        responses={202: OpenApiResponse(PreparedSerializer, description="The versions are being made.")},
        extensions=sample(f"curl \"{_BASE}prepare/\" {_KEY} {_JSON} \\\n  -d '{{{REVISION}}}'"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        body = RevisedSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        making = redactions_prepare(id, revision=body.validated_data["revision"])
        return ActResponse({"making": making}, status=202, subject_id=id)
