"""Make the package of a request from the decisions, download it, take it back, and answer the request with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.keys.data_keys import subject_data_key
from apps.erasure.holds.locks import keep_removals_out
from apps.privacy.access_packages.contents import contents
from apps.privacy.access_packages.errors import AccessPackageError, PackageNotFoundError
from apps.privacy.access_packages.everywhere import Everywhere
from apps.privacy.access_packages.quotes import Thing, things_of
from apps.privacy.access_packages.sealed import archive, sealed, unsealed
from apps.privacy.access_packages.told import Told
from apps.privacy.codes.inventory import InventoryState
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Delivery, LetterKind
from apps.privacy.inventory.asking import require_assessed
from apps.privacy.inventory.restricting import lift_at_end
from apps.privacy.inventory.selectors import newest, searched_last, standing, stores_searched
from apps.privacy.models import AccessPackage, ErasureRequest
from apps.privacy.requests.details import LetterText, description_digest, known_details
from apps.privacy.requests.events import tell
from apps.privacy.requests.services.forgetting import KEPT_FOR, remove_package_of
from apps.privacy.requests.services.letters import queue_letter
from apps.privacy.requests.services.stepping import (
    change,
    locked_request,
    require_access,
    require_manager,
    require_step,
)
from apps.tenants.context import current_scope, tenant_scope_ids
from apps.tenants.selectors.tenants import current_tenant

S: Final = RequestState


def package_of(request: ErasureRequest) -> AccessPackage | None:
    """Return the unexpired package of a request without its content; None where the open scope shows none."""
    found: AccessPackage | None = (
        AccessPackage.objects.filter(request=request, expires_at__gt=timezone.now()).defer("ciphertext").first()
    )
    return found


def problems_of(request: ErasureRequest, things: Sequence[Thing]) -> tuple[str, ...]:
    """Return what must be done before a package can be made, in sentences. Costs: about ten queries."""
    last, now = searched_last(request), newest(request)
    if last is None:
        return ("Search for the person first.",)
    problems = []
    if now is not None and now.is_moving:
        problems.append("A search is running: wait until it ends.")
    elif now is not None and now.state == InventoryState.FAILED:
        problems.append("The last search failed: search again.")
    if last.description != description_digest(request):
        problems.append("What is known about the person has changed since the search: search again.")
    there = standing(request)
    if there.open:
        are = "s are" if there.open != 1 else " is"
        problems.append(f"{there.open} place{are} open: decide for each whether it is the person.")
    if there.beyond:
        missing = len(tenant_scope_ids(current_scope().tenant_id) - current_scope().scope_ids)
        problems.append(
            f"{there.beyond} place{'s lie' if there.beyond != 1 else ' lies'} in scopes that you don't hold: "
            f"somebody who also holds these must make the package ({missing} of the tenant's)."
        )
    if undecided := sum(len(thing.open) for thing in things):
        problems.append(
            f"For {undecided} confirmed place{'s' * (undecided != 1)}, nobody has decided whether the words around "
            f"{'them are' if undecided != 1 else 'it are'} quoted."
        )
    return tuple(problems)


def package_make(request_id: UUID, *, revision: int, told: Told) -> AccessPackage:
    """Make the package from the confirmed places, at once. From then on it can be downloaded and sent with the answer.

    Args:   revision: the revision of the request that the caller read, here and in the steps below.
            told: what the firm says about its documents; only the package holds it.
    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError, InventoryError;
            AccessPackageError: something is open, or hidden words appear where somebody must change them first.
    Costs:  a query or two for each text that holds a place, and three times the package's size in memory.
    """
    person = require_manager()
    with transaction.atomic():
        # After this lock, a running removal has either ended before the texts are quoted, or will see the package.
        keep_removals_out()
        request = locked_request(request_id, revision=revision)
        require_access(request)
        require_assessed(request)
        things = things_of(request)
        if problems := problems_of(request, things):
            raise AccessPackageError("audit.access_not_preparable", problems=" ".join(problems))
        # Removes a package that expired without having been taken back.
        remove_package_of(request)
        made = _sealed(request, things, told=told, person=person)
        change(request, "prepared", to=S.INVENTORY_READY, told=_counted(made))
    return made


def package_take_back(request_id: UUID, *, revision: int) -> ErasureRequest:
    """Destroy the package, so that places and quotes can be changed and the package made again.

    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_access(request)
        require_step(request, "reopen")
        changed = change(request, "taken_back", to=S.ASSESSING)
        remove_package_of(request)
    return changed


def package_take_out(request_id: UUID) -> bytes:
    """Return the ZIP for the person of the request, and record who downloaded it.

    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError, PackageNotFoundError,
            PayloadDamagedError.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        package = require_package(request)
        content = unsealed(package)
        tell("downloaded", request, package_id=str(package.id), byte_size=package.byte_size)
    return content


def access_answer(
    request_id: UUID, *, revision: int, letter: LetterText | None = None, delivery: Delivery | None = None
) -> ErasureRequest:
    """Answer the request: queue the letter. The user who downloaded the package gives it to the person.

    Args:   letter, delivery: as in queue_letter.
    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError, PackageNotFoundError;
            what queue_letter raises.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_access(request)
        require_step(request, "answer")
        package = require_package(request)
        change(request, "completed", to=S.COMPLETED, told=_counted(package), finished_at=timezone.now())
        lift_at_end(request)
        queue_letter(request, LetterKind.DONE, text=letter, delivery=delivery)
    return request


def require_package(request: ErasureRequest) -> AccessPackage:
    """Return the unexpired package of a request with its content. Raises: PackageNotFoundError."""
    found: AccessPackage | None = AccessPackage.objects.filter(request=request, expires_at__gt=timezone.now()).first()
    if found is None:
        raise PackageNotFoundError(reference=request.reference)
    return found


def _sealed(request: ErasureRequest, things: Sequence[Thing], *, told: Told, person: UUID) -> AccessPackage:
    tenant, now, last = current_tenant(), timezone.now(), searched_last(request)
    everywhere = Everywhere(word for thing in things for quote in thing.quotes for word in quote.hidden)
    package = contents(
        request,
        known_details(request),
        things,
        everywhere=everywhere,
        told=told,
        tenant=tenant,
        searched=stores_searched(last) if last else (),
        until=now,
    )
    if places := everywhere.elsewhere(package):
        raise AccessPackageError("audit.access_hidden_elsewhere", places=", ".join(places))
    content = archive(package, made_at=now)
    id = new_id()
    key = subject_data_key(current_scope().tenant_id, id)
    quotes = [quote for thing in things for quote in thing.quotes]
    made: AccessPackage = AccessPackage.objects.create(
        id=id,
        tenant_id=request.tenant_id,
        request=request,
        scope_ids=sorted({scope for quote in quotes for scope in quote.hit.scope_ids}),
        data_key_id=key.id,
        ciphertext=sealed(content, tenant=request.tenant_id, package=id, key=key.key),
        byte_size=len(content),
        places=len(quotes),
        quoted=sum(quote.is_quoted for quote in quotes),
        hidden=sum(bool(quote.hidden) for quote in quotes),
        made_by_id=person,
        made_at=now,
        expires_at=now + KEPT_FOR,
    )
    return made


def _counted(package: AccessPackage) -> dict[str, object]:
    return {
        "package_id": str(package.id),
        "places": package.places,
        "quoted": package.quoted,
        "left_out": package.places - package.quoted,
        "hidden": package.hidden,
        "byte_size": package.byte_size,
        "expires_at": package.expires_at.isoformat(timespec="seconds"),
    }
