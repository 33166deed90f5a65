"""Give a person what is held about their own account."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.utils import timezone

from apps.audit.models import Outcome
from apps.audit.reporting.archive import README, archive_parts
from apps.audit.services import record
from apps.errors import ApplicationError
from apps.privacy.my_data.acts import events_of
from apps.privacy.my_data.as_html import HtmlWriter
from apps.privacy.my_data.as_json import JsonWriter
from apps.privacy.my_data.contents import CATEGORIES
from apps.privacy.my_data.contracts import Format, Person
from apps.privacy.my_data.events import MY_DATA_CUT_SHORT, MY_DATA_EXPORTED
from apps.privacy.my_data.in_words import words
from apps.privacy.my_data.package import Package, document_parts
from apps.privacy.my_data.recipients import recipients
from apps.tenants.context import current_scope, open_scope
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.principals import PrincipalKind
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.streaming import CutShort, Part, scoped_stream


class NobodysDataError(ApplicationError):
    code = "audit.nobodys_data"
    status = 403
    message = (
        "This key belongs to the firm and acts for nobody, so no personal data is held about it. Sign in, or use a "
        "key of your own."
    )


def my_package() -> Package:
    """Return the facts about the acting person's whole package, as of now.

    Raises: NobodysDataError: no person acts. Costs: eight queries, two of them counts over the person's events.
    """
    scope = current_scope()
    principal, now = scope.principal, timezone.now()
    if principal.kind is not PrincipalKind.USER or principal.id is None:
        raise NobodysDataError
    tenant = current_tenant()
    person = Person(
        id=principal.id,
        username=User.objects.get(id=principal.id).username,
        until=now,
        memberships=frozenset(Membership.objects.filter(user_id=principal.id).values_list("id", flat=True)),
        keys=frozenset(ApiKey.objects.filter(person_id=principal.id).values_list("id", flat=True)),
    )
    seen = events_of(person).count()
    # Over all scopes, only count the events; never read their content.
    with open_scope(tenant=scope.tenant_id, reason="count a person's events for their access request"):
        every = events_of(person).count()
    return Package(
        person=person,
        firm=tenant.name,
        region=tenant.residency_region,
        recipients=recipients(tenant),
        unreached=every - seen,
        by_key=principal.key_id is not None,
    )


def my_data_export(format: Format) -> Iterator[bytes]:
    """Return in parts all that the open tenant holds about the acting person's account, and record the export.

    The event is recorded in the open transaction and is not in the package, which ends before it. Each part is made
    when it is sent, in a separate transaction with the person's grants at that time (see scoped_stream).

    Raises: NobodysDataError; while the parts are sent, what scoped_stream raises.
    """
    principal, package = current_scope().principal, my_package()
    record(
        action=MY_DATA_EXPORTED,
        core={
            "format": format.value,
            "categories": len(CATEGORIES),
            "events": events_of(package.person).count(),
            "unreached_events": package.unreached,
        },
        subject_type="user",
        subject_id=package.person.id,
    )
    return scoped_stream(
        principal,
        _parts(package, format),
        scopes=principal.scope_ids,
        permission=None,
        cut_short=_cut_short(package.person.id, format),
    )


def _cut_short(user_id: UUID, format: Format) -> CutShort:
    def cut_short(error: ApplicationError, sent_bytes: int) -> None:
        record(
            action=MY_DATA_CUT_SHORT,
            core={
                "format": format.value,
                "sent_bytes": sent_bytes,
                "error_code": error.code,
                "user_id": str(user_id),
            },
            outcome=Outcome.FAILED,
            subject_type="user",
            subject_id=user_id,
        )

    return cut_short


def _parts(package: Package, format: Format) -> Iterator[Part]:
    match format:
        case Format.JSON:
            return document_parts(package, JsonWriter())
        case Format.HTML:
            return document_parts(package, HtmlWriter())
        case Format.ZIP:
            about = package.about
            readme = README.format(firm=about["firm"], person=about["person"], until=words(about["until"])).encode()
            documents = {
                "README.txt": iter([lambda: readme]),
                "my-data.html": document_parts(package, HtmlWriter()),
                "my-data.json": document_parts(package, JsonWriter()),
            }
            return archive_parts(documents, made_at=package.person.until)
