"""A request for access with its places decided on: what tests of packages share."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from django.db import connection, transaction

from apps.privacy.access_packages.packages import package_take_out
from apps.privacy.access_packages.quotes import Thing, things_of
from apps.privacy.access_packages.quoting import quotes_decide_at_once
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.codes.requests import Language, Purpose
from apps.privacy.models import AccessPackage, ErasureRequest
from apps.privacy.requests.details import Details
from apps.tenants.principals import Principal
from tests.audit.inventorying import PERSON, confirm_all, inventoried
from tests.audit.mutations import acting_as
from tests.audit.requesting import Office
from tests.deciding import identity_confirm, package_make
from tests.factories import as_


def asked(office: Office, details: Details = PERSON, *, language: Language = Language.ENGLISH) -> ErasureRequest:
    """Taken in, and assessed: the search can begin."""
    request = office.received(purpose=Purpose.ACCESS, details=details, language=language)
    with as_(office.dora):
        return identity_confirm(request.id)


def confirmed(office: Office, details: Details = PERSON, *, language: Language = Language.ENGLISH) -> ErasureRequest:
    """Searched, and every place that dora sees confirmed."""
    request = asked(office, details, language=language)
    inventoried(office, request)
    confirm_all(office, request)
    return request


def things(office: Office, request: ErasureRequest, who: Principal | None = None) -> list[Thing]:
    with as_(who or office.dora):
        return list(things_of(request))


def quote_all(office: Office, request: ErasureRequest) -> None:
    for thing in things(office, request):
        with as_(office.dora):
            quotes_decide_at_once(request.id, thing.quotable)


def made(office: Office, request: ErasureRequest, who: Principal | None = None) -> AccessPackage:
    with as_(who or office.dora):
        return package_make(request.id, told=told_by_rules(request.language))


def prepared(office: Office, details: Details = PERSON, *, language: Language = Language.ENGLISH) -> ErasureRequest:
    """Everything confirmed and quoted, and the package made."""
    request = confirmed(office, details, language=language)
    quote_all(office, request)
    made(office, request)
    return request


def files_of(content: bytes) -> dict[str, str]:
    with ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def taken_out(office: Office, request: ErasureRequest, who: Principal | None = None) -> tuple[dict[str, Any], str]:
    """The package as its JSON and its page."""
    with as_(who or office.dora):
        files = files_of(package_take_out(request.id))
    assert set(files) == {"README.txt", "what-is-held.html", "what-is-held.json"}
    return json.loads(files["what-is-held.json"]), files["what-is-held.html"]


def aged(request: ErasureRequest, *, days: int = 31) -> None:
    """As if it had been made and answered so many days ago: the database's own clock decides what may go."""
    age = f"interval '{int(days)} days'"
    with acting_as("superuser"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(
            f"UPDATE audit_accesspackage SET made_at = made_at - {age}, expires_at = expires_at - {age} "
            "WHERE request_id = %s",
            [request.id],
        )
        cursor.execute(
            f"UPDATE audit_erasurerequest SET finished_at = finished_at - {age} WHERE id = %s",
            [request.id],
        )
