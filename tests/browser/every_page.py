"""Every page that the addresses name, filled in with the rows of a world that has something on each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Model
from django.urls import URLPattern, URLResolver, get_resolver
from django.views.generic import RedirectView
from rest_framework.renderers import TemplateHTMLRenderer

from apps.audit.models import Event, Webhook
from apps.corpus.extraction.contracts import MediaType
from apps.corpus.models import Document
from apps.erasure.models import Certificate, Purge, RemovalRun, RetentionSchedule, Supplement
from apps.intents.models import Absence, PolicyVersion, Recertification
from apps.privacy.admin.requests.step import STEPS
from apps.privacy.models import ErasureRequest
from apps.quality.models import EvaluationQuery, EvaluationRun
from apps.research.models import ResearchRun
from apps.retrieval.events import ANSWERED
from apps.retrieval.models import SentQuestion
from apps.tenants.context import open_identity, open_scope
from apps.tenants.models import ApiKey, Invitation, Membership, User
from apps.tenants.tokens import Identity
from tests.factories import Firm

# Of these every row is looked at, since each is in another state; of others the first and the last.
_EACH: Final[tuple[type[Model], ...]] = (
    ErasureRequest,
    RemovalRun,
    RetentionSchedule,
    PolicyVersion,
    ResearchRun,
    Membership,
    Invitation,
    ApiKey,
)
# What a name in an address stands for; of an <object_id>, the model is its ModelAdmin's.
_ROWS: Final[dict[str, type[Model]]] = {
    "key_id": ApiKey,
    "schedule_id": RetentionSchedule,
    "purge_id": Purge,
    "request_id": ErasureRequest,
    "privacy/runs/<uuid:run_id>": RemovalRun,
    "quality/runs/<uuid:run_id>": EvaluationRun,
    "research/<uuid:run_id>": ResearchRun,
    "certificate_id": Certificate,
    "supplement_id": Supplement,
    "version_id": PolicyVersion,
    "absence_id": Absence,
    "recertification_id": Recertification,
    "query_id": EvaluationQuery,
    "event_id": Event,
    "webhook_id": Webhook,
    "sent_id": SentQuestion,
    "invitations/<uuid:object_id>": Invitation,
}
_PARAMETER: Final = re.compile(r"<(?:\w+:)?(\w+)>")


def routes() -> dict[str, URLPattern]:
    """What may be a page: all of the admin and the entry, and what of the API speaks HTML. No bare redirects."""

    def walk(patterns: Sequence[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, URLPattern]]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, f"{before}{pattern.pattern}")
            else:
                yield f"{before}{pattern.pattern}", pattern

    return {route: pattern for route, pattern in walk(get_resolver().url_patterns, "") if _may_be_page(route, pattern)}


def _may_be_page(route: str, pattern: URLPattern) -> bool:
    view = getattr(pattern.callback, "view_class", None)
    if view is not None and issubclass(view, RedirectView):
        return False
    if route.startswith(("api/", "v1/", "^v1/", "mcp")):
        return TemplateHTMLRenderer in getattr(view, "renderer_classes", ())
    return True


def addresses_of(route: str, firm: Firm) -> list[str]:
    """This route's addresses, with every kind of row that it names. Empty where the world has none."""
    found = ["/" + route.removesuffix("$").replace("^", "")]
    for name in _PARAMETER.findall(route):
        values = [str(value) for value in _values(route, name, firm)]
        found = [_PARAMETER.sub(value, each, count=1) for each in found for value in values]
    return found


def _values(route: str, name: str, firm: Firm) -> list[Any]:
    if name == "name":
        return list(STEPS)
    if name == "number":
        return [1]
    if name == "intent":
        return ["performance"]
    if name == "path":
        return ["concepts/", "glossary/"]
    model = next((row for part, row in _ROWS.items() if part == name or part in route), None)
    if model is None and name == "object_id":
        model = next(
            each for each in admin.site._registry if f"/{each._meta.app_label}/{each._meta.model_name}/" in route
        )
    return [] if model is None else rows_of(model, firm)


def rows_of(model: type[Model], firm: Firm) -> list[Any]:
    if model is User:
        with open_identity(Identity(all_accounts=True)):
            return list(User.objects.order_by("username").values_list("pk", flat=True)[:1])
    with open_scope(tenant=firm.id, reason="a test"):
        rows = model._default_manager.order_by("pk")
        if model is Event:
            answered = list(Event.objects.filter(action=ANSWERED).values_list("pk", flat=True)[:1])
            return [*answered, *rows.values_list("pk", flat=True)[:1]]
        found = list(rows.values_list("pk", flat=True))
        if model is Document:
            # One whose pages have images.
            drawn = Document.objects.filter(media_type=MediaType.PDF, page_count__gt=0).values_list("pk", flat=True)[:1]
            return list(dict.fromkeys([*drawn, *found[:1], *found[-1:]]))
    return found if model in _EACH else list(dict.fromkeys([*found[:1], *found[-1:]]))
