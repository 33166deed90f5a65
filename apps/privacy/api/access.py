"""Requests for access: what is quoted, the package, the answer. The services hold the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.privacy.access_packages.packages import (
    access_answer,
    package_make,
    package_of,
    package_take_back,
    package_take_out,
    problems_of,
)
from apps.privacy.access_packages.quotes import things_of
from apps.privacy.access_packages.quoting import Chosen, quotes_decide
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.api.access_serializers import (
    AnswerSerializer,
    ChoicesSerializer,
    MakePackageSerializer,
    PackageSerializer,
    QuotesSerializer,
)
from apps.privacy.api.inventory_serializers import DecidedSerializer
from apps.privacy.api.request_parts import (
    BASE,
    JSON,
    KEY,
    REVISION,
    TAG,
    answer_of,
    said_by,
)
from apps.privacy.api.request_serializers import ErasureRequestSerializer, RevisedSerializer
from apps.privacy.api.request_steps import StepView
from apps.privacy.codes.inventory import Quoting
from apps.privacy.inventory.asking import is_assessed
from apps.privacy.requests.errors import LetterUnaddressedError
from apps.privacy.requests.selectors import erasure_request
from apps.privacy.requests.services.stepping import require_access
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.media_types import ANY_BYTES, bytes_responses, preferred
from apps.tenants.roles import Permission

_MANAGE: Mapping[str, Permission | None] = {"GET": Permission.PRIVACY_MANAGE, "POST": Permission.PRIVACY_MANAGE}
# Of a request for erasure.
_CONFLICT = {PROBLEMS_EXTENSION: ["Conflict"]}
_COUNTS = ("places", "quoted", "hidden", "byte_size", "made_at", "expires_at")


class QuotesView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="list_access_quotes",
        tags=TAG,
        summary="List what an access package would quote",
        description="Returns every confirmed place of an access request in your scopes, with the words around it.",
        responses=QuotesSerializer,
        extensions={**sample(f'curl "{BASE}$REQUEST_ID/quotes/" {KEY}'), **_CONFLICT},
    )
    def get(self, request: Request, id: UUID) -> Response:
        found = erasure_request(id)
        require_access(found)
        return Response(QuotesSerializer({"things": things_of(found)}).data)

    @extend_schema(
        operation_id="decide_access_quotes",
        tags=TAG,
        summary="Decide what an access package quotes",
        description=(
            "For each confirmed place, decide whether the words around it are quoted, which of them are hidden "
            "because they are about others, or whether they are left out (Article 15(4) GDPR). Either all decisions "
            "are saved or none."
        ),
        request=ChoicesSerializer,
        responses=DecidedSerializer,
        extensions=sample(
            f'curl "{BASE}$REQUEST_ID/quotes/" {KEY} {JSON} \\\n'
            '  -d \'{"choices": [{"hit_id": "\'"$HIT_ID"\'", "quoting": "left_out", "seen": null}]}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(ChoicesSerializer, request).validated_data["choices"]
        chosen = [
            Chosen(
                hit_id=each["hit_id"],
                seen=each["seen"] or "",
                quoting=Quoting(each["quoting"]) if each["quoting"] else None,
                hidden=tuple(each["hidden"]),
            )
            for each in said
        ]
        return ActResponse({"changed": quotes_decide(id, chosen)}, status=200, subject_id=id)


class PackageView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="get_access_package",
        tags=TAG,
        summary="Show the package of an access request",
        description=(
            "Returns whether it is made, how much it contains and how long it is kept; or what must be done before "
            "it can be made."
        ),
        responses=PackageSerializer,
        extensions={**sample(f'curl "{BASE}$REQUEST_ID/package/" {KEY}'), **_CONFLICT},
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(_package(id))

    @extend_schema(
        operation_id="make_access_package",
        tags=TAG,
        summary="Make the package of an access request",
        description=(
            "The package contains everything that was confirmed. It is sealed under its own key and destroyed after "
            "thirty days. Places and quotes can't change until the package is destroyed."
        ),
        request=MakePackageSerializer,
        responses={201: OpenApiResponse(PackageSerializer, description="Made.")},
        extensions=sample(
            f'curl "{BASE}$REQUEST_ID/package/" {KEY} {JSON} \\\n'
            f'  -d \'{{{REVISION}, "source": "Letters that you wrote to us."}}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(MakePackageSerializer, request).validated_data
        told = {name: words for name, words in said.items() if name != "revision"}
        rules = told_by_rules(erasure_request(id).language)
        package_make(id, revision=said["revision"], told=replace(rules, **told))
        return ActResponse(_package(id), status=201, subject_id=id)


class PackageTakeBackView(StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="take_back_access_package",
        tags=TAG,
        summary="Destroy the package of an access request",
        description="Then places and quotes can be changed again, and a new package can be made.",
        request=RevisedSerializer,
        responses=ErasureRequestSerializer,
        extensions=sample(f"curl \"{BASE}$REQUEST_ID/package/take-back/\" {KEY} {JSON} \\\n  -d '{{{REVISION}}}'"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        return answer_of(package_take_back(id, **said_by(RevisedSerializer, request).validated_data))


class PackageContentView(StepView):
    required_permissions = _MANAGE
    media_types = (ANY_BYTES, "application/zip")

    @extend_schema(
        operation_id="download_access_package",
        tags=TAG,
        summary="Download the package of an access request",
        description=(
            "Returns a ZIP for the person of the request, with a page to read and a file for programs. This needs a "
            "session, or a key that acts for you, with all scopes that the package quotes from. The download is "
            "recorded."
        ),
        responses=bytes_responses(*media_types, description="The package."),
        extensions={**sample(f'curl -OJ "{BASE}$REQUEST_ID/package/content/" {KEY}'), **_CONFLICT},
    )
    def get(self, request: Request, id: UUID) -> HttpResponseBase:
        media_type = preferred(request, ("application/zip", ANY_BYTES))
        if request.method == "HEAD":
            # Hands nothing out, and records nothing.
            return HttpResponse(content_type=media_type)
        response = HttpResponse(package_take_out(id), content_type=media_type)
        response["Content-Disposition"] = f'attachment; filename="{erasure_request(id).reference}.zip"'
        response["Cache-Control"] = "private, no-store"
        return response


class AnswerView(StepView):
    required_permissions = _MANAGE
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {LetterUnaddressedError: "delivery"}

    @extend_schema(
        operation_id="answer_access_request",
        tags=TAG,
        summary="Answer an access request",
        description=(
            "Sends a letter and closes the request. The package is not in the letter: hand it over in a way that "
            "nobody else can read it. Thirty days later it is destroyed, with what is known about the person."
        ),
        request=AnswerSerializer,
        responses=ErasureRequestSerializer,
        extensions=sample(
            f'curl "{BASE}$REQUEST_ID/answer/" {KEY} {JSON} \\\n  -d \'{{{REVISION}, "delivery": "post"}}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        said = said_by(AnswerSerializer, request)
        return answer_of(access_answer(id, revision=said.validated_data["revision"], **said.told()))


def _package(id: UUID) -> dict[str, Any]:
    found = erasure_request(id)
    require_access(found)
    package = package_of(found)
    problems = problems_of(found, things_of(found)) if is_assessed(found) else ()
    counts = {name: getattr(package, name) if package else None for name in _COUNTS}
    return dict(PackageSerializer({"made": package is not None, "problems": problems, **counts}).data)
