"""`manage.py audit mend`: propose to take out of a log what stands in it beside what was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from apps.erasure.mending import mend_propose
from apps.erasure.models import RemovalTarget
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.people import user_by_name
from apps.tenants.selectors.tenants import tenant_id_of


def add_arguments(parser: CommandParser) -> None:
    parser.add_argument("--by", metavar="NAME", help="mend: the data protection officer who proposes it")


def run(command: BaseCommand, options: Mapping[str, Any]) -> None:
    """Raises CommandError."""
    if not options["tenant"] or not options["by"]:
        raise CommandError("Name the tenant and who proposes it: --tenant NAME --by NAME")
    try:
        tenant = TenantId(tenant_id_of(options["tenant"]))
        user = user_by_name(options["by"])
        if user is None or not user.is_active:
            raise CommandError(f"{options['by']} has no account, or one that is deactivated")
        principal = user_principal(user, tenant)
        proposed = mend_propose(principal)
    except ApplicationError as error:
        raise CommandError(str(error)) from error
    with open_scope(tenant=tenant, principal=principal):
        for target in RemovalTarget.objects.filter(run=proposed):
            command.stdout.write(f"event {target.item_id}, part {target.part}")
    command.stdout.write(
        f"Proposed as removal run {proposed.id}. Another person who may approve decides on it at "
        f"{reverse('admin:removal_run', args=[proposed.id])}; the eraser carries it out then."
    )
