"""A firm with its DPOs and a reviewer, and requests brought to a state by the real services. For tests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from apps.privacy.codes.requests import Ground, Requester, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.deciding import assess, identity_confirm
from tests.factories import Firm, as_, make_firm, make_member

# Words that stand nowhere else: wherever one of them is found, something of the person is.
NAME, EMAIL, IBAN, WORDS = "Quirin Zaunkönig", "quirin@zaun.example", "DE89370400440532013000", "because of the kestrel"
ADDRESS = "Kestrelgasse 7, 1010 Wien"
SECRETS = (NAME, "Zaunk", EMAIL, IBAN, "kestrel", "Kestrelgasse")
PERSON = Details(
    names=(NAME,), emails=(EMAIL,), identifiers=(IBAN,), requester_name=NAME, requester_email=EMAIL, notes=WORDS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """dora and dirk are DPOs, rita reviews, ada audits."""

    firm: Firm
    dora: Principal
    dirk: Principal
    rita: Principal
    ada: Principal

    def received(self, *, about: SubjectType = SubjectType.DATA_SUBJECT, **more: Any) -> ErasureRequest:
        """Taken in by dora."""
        given = {"requester": Requester.PERSON, "details": PERSON, **more}
        if about is SubjectType.SCOPE:
            given.setdefault("subject_id", self.firm.scopes["fund:alpha"].id)
        with as_(self.dora):
            return request_receive(subject_type=about, **given)

    def assessed(self, *, about: SubjectType = SubjectType.SCOPE) -> ErasureRequest:
        request = self.received(about=about)
        with as_(self.dora):
            identity_confirm(request.id)
            return assess(request.id, ground=Ground.CONTRACT_ENDED)

    def again(self, request: ErasureRequest) -> ErasureRequest:
        """As it is in the database now."""
        with open_scope(tenant=self.firm.id, reason="a test"):
            found: ErasureRequest = ErasureRequest.objects.get(id=request.id)
            return found


def make_office(slug: str = "acme", *, password: str = "") -> Office:
    firm = make_firm(slug)
    return Office(
        firm=firm,
        dora=make_member(firm, "dora", Role.DPO, password=password),
        dirk=make_member(firm, "dirk", Role.DPO, password=password),
        rita=make_member(firm, "rita", Role.REVIEWER, password=password),
        ada=make_member(firm, "ada", Role.AUDITOR, password=password),
    )


def days_ago(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)
