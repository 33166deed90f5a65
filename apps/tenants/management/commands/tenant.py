"""`manage.py tenant`: make the first tenant, its scopes, members and keys from a shell; the admin does the rest."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.core.validators import validate_email

from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.links import address_of_link
from apps.tenants.management.served import ServedCommand
from apps.tenants.models import Membership, Scope, Tenant
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.registry import first_policy
from apps.tenants.roles import Role, approvals
from apps.tenants.selectors.people import user_by_name
from apps.tenants.selectors.tenants import all_tenants, scope_by_key, tenant_by_slug
from apps.tenants.services.api_keys import api_key_create
from apps.tenants.services.invitations import invitation_link, member_invite
from apps.tenants.services.members import membership_grant
from apps.tenants.services.tenants import scope_create, tenant_create

_EXAMPLES = """
examples:
  manage.py tenant create meridian --name "Meridian Asset Management" --region eu
  manage.py tenant create larch --name "Larch Research" --pack company_research
  manage.py tenant scope meridian fund:global-equity --name "Global Equity"
  manage.py tenant member meridian alice@meridian.example --role tenant_admin
  manage.py tenant key meridian --name "Reporting portal" --role analyst --scope fund:global-equity
  manage.py tenant list
"""
_REASON = "manage.py tenant"
_FIRST = 2


class Command(ServedCommand):
    help = "Makes tenants, and scopes, members and API keys in them. Each act is recorded in the tenant's log."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="every tenant")
        create = actions.add_parser("create", help="a tenant with its root scope and its first policy")
        create.add_argument("slug", help="short name, such as meridian")
        create.add_argument("--name", help="full name; by default the short name")
        create.add_argument("--region", default="eu", help="where its data must stay (default: eu)")
        create.add_argument("--not-strict", action="store_true", help="allow providers outside that region")
        create.add_argument("--embedding", default="local", metavar="PROFILE")
        create.add_argument("--generation", default="extractive", metavar="PROFILE")
        offered = "; ".join(f"{key} ({words})" for key, words in first_policy().packs.items())
        create.add_argument(
            "--pack",
            action="append",
            default=[],
            help=f"a shipped pack for its first policy, fund_house by default; repeat it to combine: {offered}",
        )
        scope = actions.add_parser("scope", help="a scope below the root or below --parent")
        scope.add_argument("slug", help="the tenant")
        scope.add_argument("key", help="type:name, such as fund:global-equity")
        scope.add_argument("--name", help="full name; by default the key")
        scope.add_argument("--parent", default="", help="key of the scope above; by default the root")
        member = actions.add_parser(
            "member",
            help="a role for one of the first people: an account's name, or a mailbox for which a link is made",
        )
        member.add_argument("slug", help="the tenant")
        member.add_argument("username")
        member.add_argument("--role", required=True, choices=Role.values)
        member.add_argument("--scope", action="append", default=[], help="by default the whole tenant")
        key = actions.add_parser("key", help="an API key; it is printed once")
        key.add_argument("slug", help="the tenant")
        key.add_argument("--name", required=True)
        key.add_argument("--role", default=Role.ANALYST.value, choices=Role.values)
        key.add_argument("--scope", action="append", default=[], help="by default the whole tenant")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['action']}")(options)
        except ApplicationError as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error

    def _list(self, options: dict[str, Any]) -> None:
        for tenant in all_tenants():
            strict = "strict" if tenant.residency_strict else "not strict"
            self.stdout.write(f"{tenant.slug}\t{tenant.name}\t{tenant.residency_region} ({strict})\t{tenant.status}")

    def _create(self, options: dict[str, Any]) -> None:
        if options["slug"] in {tenant.slug for tenant in all_tenants()}:
            raise CommandError(f"There is already a tenant {options['slug']}.")
        tenant = tenant_create(
            slug=options["slug"],
            name=options["name"] or options["slug"].title(),
            residency_region=options["region"],
            residency_strict=not options["not_strict"],
            embedding_profile=options["embedding"],
            generation_profile=options["generation"],
            packs=options["pack"],
            reason=_REASON,
        )
        of = f" of {' and '.join(options['pack'])}" if options["pack"] else ""
        self.stdout.write(
            f"{tenant.slug} is created, with the scope firm:{tenant.slug} and policy version 1{of} in force."
        )

    def _scope(self, options: dict[str, Any]) -> None:
        tenant = tenant_by_slug(options["slug"])
        with open_scope(tenant=TenantId(tenant.id), reason=_REASON):
            if Scope.objects.filter(key=options["key"]).exists():
                raise CommandError(f"There is already a scope {options['key']}.")
            parent = scope_by_key(options["parent"] or f"firm:{tenant.slug}")
            scope = scope_create(key=options["key"], name=options["name"] or options["key"], parent=parent)
        self.stdout.write(f"{scope.key} is created, below {parent.key}.")

    def _member(self, options: dict[str, Any]) -> None:
        tenant = tenant_by_slug(options["slug"])
        role = Role(options["role"])
        user = user_by_name(options["username"])
        with open_scope(tenant=TenantId(tenant.id), reason=_REASON):
            _require_bootstrap(role)
            scopes = _scopes(tenant, options)
            if user is not None:
                membership_grant(user=user, role=role, scopes=scopes)
                self.stdout.write(f"{user.username} is {role.label} of {tenant.slug}.")
                return
            validate_email(options["username"])
            invitation = member_invite(email=options["username"], role=role, scopes=scopes, by_mail=False)
        secret = invitation_link(TenantId(tenant.id), invitation.id)
        self.stdout.write(
            f"{options['username']} becomes {role.label} of {tenant.slug} with this link, which works once "
            "within seven days:"
        )
        self.stdout.write(address_of_link("invitation_link", secret))

    def _key(self, options: dict[str, Any]) -> None:
        tenant = tenant_by_slug(options["slug"])
        with open_scope(tenant=TenantId(tenant.id), reason=_REASON):
            _, plain = api_key_create(name=options["name"], role=Role(options["role"]), scopes=_scopes(tenant, options))
        self.stdout.write(f"API key, shown only this once: {plain}")


def _require_bootstrap(role: Role) -> None:
    """The platform's operator gives a role that approves to the first two people; those agree to all others."""
    needed = approvals(role)
    if not needed:
        return
    able = [each.value for each in Role if needed <= approvals(each)]
    holding = Membership.objects.filter(IN_FORCE, role__in=able, user__is_active=True).values("user_id").distinct()
    if holding.count() >= _FIRST:
        raise CommandError(
            f"{_FIRST} people of this tenant can already confirm a {role.label}: have a tenant administrator invite "
            "the next one under Members, and one of these people agree."
        )


def _scopes(tenant: Tenant, options: dict[str, Any]) -> list[Scope]:
    return [scope_by_key(key) for key in options["scope"] or [f"firm:{tenant.slug}"]]
