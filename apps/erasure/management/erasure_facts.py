"""`manage.py erasure tenants`, `show RUN` and `certificate RUN`: what was erased, when and on whose approval.

For who runs the platform. Ids, counts, codes and times alone: it is what stays of an erasure, also where a whole tenant
is gone and nobody of it can sign in any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from apps.erasure.certificate.bundle import verifier, written
from apps.erasure.certificate.document import document_of, supplement_of, supplements_of_run
from apps.erasure.certificate.selectors import certificates_of
from apps.erasure.contracts import RunState, TargetType
from apps.erasure.models import RemovalRun, RemovalTarget
from apps.erasure.runs.selectors import progress_of
from apps.errors import ApplicationError
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants
from apps.tenants.tokens import Identity

_REASON: Final = "say what was erased"
_NOT_BEGUN: Final = (RunState.PROPOSED, RunState.REJECTED)


def tenants(command: BaseCommand, _options: Mapping[str, Any]) -> None:
    """The tenants whose erasure was approved, with the run of each."""
    lines = [line for tenant in all_tenants() for line in _of_tenant(TenantId(tenant.id))]
    for line in lines or ["No tenant was erased."]:
        command.stdout.write(line)


def show(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """One run, of whichever tenant. Raises: CommandError: there is none."""
    with open_identity(Identity(all_tenants=True)):
        found: RemovalRun | None = RemovalRun.objects.filter(id=run_named(options)).first()
    if found is None:
        raise CommandError("Name an existing removal run: manage.py erasure show RUN.")
    with open_scope(tenant=TenantId(found.tenant_id), reason=_REASON):
        for line in _lines(found):
            command.stdout.write(line)


def certificate(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """The newest certificate of a run, as its page hands it out: of a tenant that is erased nobody can open that.

    Of a run that ended after the backup that was put back, the newest supplement: the database knows no more of it.
    Raises: CommandError: there is none, or the log can't give its proof; it says why.
    """
    run_id = run_named(options)
    with open_identity(Identity(all_tenants=True)):
        run: RemovalRun | None = RemovalRun.objects.filter(id=run_id).first() if run_id else None
    if run is None:
        if run_id is None or not _supplemented(command, run_id):
            raise CommandError("Name an existing removal run: manage.py erasure certificate RUN.")
        return
    with open_scope(tenant=TenantId(run.tenant_id), reason=_REASON):
        found = certificates_of(run)
        if not found:
            raise CommandError("It has no certificate: see its progress with manage.py erasure show RUN.")
        try:
            document = document_of(found[0])
        except ApplicationError as error:
            raise CommandError(error.detail) from error
        command.stdout.write(written(document), ending="")
    command.stderr.write(
        "To check it without this installation: manage.py erasure certificate-verifier > verify_certificate.py, then "
        "python verify_certificate.py FILE --key KEY, with the key that manage.py audit log-key prints."
    )


def _supplemented(command: BaseCommand, run_id: UUID) -> bool:
    """Print the newest supplement that concerns a run. Returns: whether there is one."""
    for tenant in all_tenants():
        with open_scope(tenant=TenantId(tenant.id), reason=_REASON):
            found = supplements_of_run(run_id)
            if found:
                command.stdout.write(written(supplement_of(found[0])), ending="")
                command.stderr.write(
                    "The database was restored to a time before the end of this run: this is the supplement."
                )
                return True
    return False


def certificate_verifier(command: BaseCommand, _options: Mapping[str, Any]) -> None:
    """The program that checks a certificate: one file, the standard library alone."""
    command.stdout.write(verifier(), ending="")


def run_named(options: Mapping[str, Any]) -> UUID | None:
    """The run that the command line names; None for none. Raises: CommandError."""
    if not options["what"]:
        return None
    try:
        return UUID(options["what"])
    except ValueError as error:
        raise CommandError("Name a removal run by its id.") from error


def _of_tenant(tenant_id: TenantId) -> list[str]:
    with open_scope(tenant=tenant_id, reason=_REASON):
        named = RemovalTarget.objects.filter(type=TargetType.TENANT).exclude(run__state__in=_NOT_BEGUN)
        return [
            f"tenant {tenant_id}  run {run.id}  {run.state}  {_time(run.finished_at)}"
            for run in (each.run for each in named.select_related("run").order_by("run_id"))
        ]


def _lines(run: RemovalRun) -> Iterator[str]:
    progress = progress_of(run)
    targets = ", ".join(f"{count} {kind}" for kind, count in progress.targets.items())
    yield f"run {run.id} of tenant {run.tenant_id}: {run.state}"
    yield f"because of {run.origin} {run.origin_id}, {run.reason_code}: {targets}"
    yield f"proposed by {run.proposed_by} {_time(run.proposed_at)}"
    if run.approved_by is not None:
        yield f"approved by {run.approved_by} {_time(run.approved_at)}, ended {_time(run.finished_at)}"
    for step in progress.steps:
        state = "done" if step.finished_at else f"{step.remaining} remain"
        yield f"{step.store:<32} before {step.before}, removed {step.removed}, retained {step.retained}, {state}"
    for target, ground in progress.retained.items():
        yield f"retained {target.type} {target.id} {target.part}".rstrip() + f": {ground}"


def _time(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "not yet"
