"""Invitations, memberships that are accepted and confirmed, whose hands an account comes from, and links by mail."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import apps.tenants.models.base
import apps.tenants.models.membership
from apps.tenants.migrations import _people
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, PoliciesByCommand, Writes

_TENANT = "tenant_id = (SELECT authz.tenant())"
_TENANT_IF_OPEN = "tenant_id = (SELECT authz.tenant_if_open())"
_SCOPES = "(SELECT authz.scopes())::uuid[]"
_PLATFORM = "(SELECT authz.may('glassbox.platform'))"
_MEMBERS = "(SELECT authz.may('member.manage'))"
_APPROVES = "((SELECT authz.may('policy.approve')) OR (SELECT authz.may('privacy.approve')))"
_LINK = "token_sha256 = (SELECT authz.identity(9))"
_SELF = "user_id = (SELECT authz.identity(1))::uuid"
_COLLEAGUE = (
    "EXISTS (SELECT FROM tenants_membership m WHERE m.user_id = tenants_accountorigin.user_id "
    "AND m.tenant_id = (SELECT authz.tenant_if_open()))"
)
_ORIGIN_READ = f"USING ((SELECT authz.is_open()) AND (CURRENT_USER = 'glassbox_remover' OR {_SELF} OR {_COLLEAGUE}))"
_ENDED = "((SELECT authz.identity(8)) = 'all' AND expires_at <= now())"

_ISOLATED = EnableIsolation("Invitation", by=IsolationLevel.TENANT, writes=Writes.KEEP, version=LATEST)


def _key(column: str, condition: str) -> str:
    return (
        f"EXISTS (SELECT FROM tenants_apikey k WHERE k.tenant_id = tenants_grant.tenant_id AND k.id = {column} "
        f"AND {condition})"
    )


_KEYS = "(SELECT authz.may('key.manage'))"
_OWN_GRANT = _key("tenants_grant.api_key_id", "(authz.acts_as(k.person_id) AND (SELECT authz.may('key.own')))")
_ORDINARY_GRANT = _key("tenants_grant.api_key_id", f"k.person_id IS NULL AND {_KEYS}")
_GRANT_READ = f"USING ({_TENANT_IF_OPEN} OR tenant_id = (SELECT authz.identity(3))::uuid)"
_MAY_END = f"(membership_id IS NULL OR {_MEMBERS}) AND (api_key_id IS NULL OR {_KEYS} OR {_OWN_GRANT})"
_GRANT_UPDATE = (
    f"USING ({_TENANT} AND valid_to IS NULL AND {_MAY_END}) "
    f"WITH CHECK ({_TENANT} AND valid_to IS NOT NULL AND {_MAY_END})"
)
# What the invitation names, in the transaction that accepts it.
_INVITED = (
    "EXISTS (SELECT FROM tenants_membership m JOIN tenants_invitation i "
    "ON i.tenant_id = m.tenant_id AND i.id = m.invitation_id "
    "WHERE m.tenant_id = tenants_grant.tenant_id AND m.id = tenants_grant.membership_id AND authz.acts_as(m.user_id) "
    "AND i.token_sha256 = (SELECT authz.identity(9)) AND i.accepted_at = now() "
    "AND tenants_grant.scope_id = ANY (i.scope_ids))"
)


def _grants(holder: str) -> str:
    keys = f"(api_key_id IS NULL OR {_ORDINARY_GRANT} OR {_OWN_GRANT})"
    return f"WITH CHECK ({_TENANT} AND scope_id = ANY ({_SCOPES}) AND ({holder}) AND {keys})"


_GRANTS_BEFORE = PoliciesByCommand(
    "Grant",
    read=_GRANT_READ,
    insert=_grants(f"membership_id IS NULL OR {_MEMBERS}"),
    update=_GRANT_UPDATE,
    updatable=("valid_to",),
)
_MEMBERSHIP_READ = f"USING ({_TENANT_IF_OPEN} OR {_SELF})"
_MEMBERSHIPS_BEFORE = PoliciesByCommand(
    "Membership",
    read=_MEMBERSHIP_READ,
    insert=f"WITH CHECK ({_TENANT} AND {_MEMBERS})",
    update=f"USING ({_TENANT} AND revoked_at IS NULL AND {_MEMBERS}) WITH CHECK ({_TENANT} AND {_MEMBERS})",
    updatable=("revoked_at",),
)
_ROLES = [
    ("compliance_officer", "Compliance officer"),
    ("reviewer", "Reviewer"),
    ("dpo", "Data protection officer"),
    ("analyst", "Analyst"),
    ("auditor", "Auditor"),
    ("tenant_admin", "Tenant administrator"),
]
_ID = models.UUIDField(db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0009_credentials"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        *(
            migrations.AddField(model_name="membership", name=name, field=field)
            for name, field in (
                ("created_by_id", models.UUIDField(editable=False, null=True)),
                ("invitation_id", models.UUIDField(editable=False, null=True)),
                ("accepted_at", models.DateTimeField(editable=False, null=True)),
                ("confirmed_at", models.DateTimeField(editable=False, null=True)),
                ("confirmed_by_id", models.UUIDField(editable=False, null=True)),
            )
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("confirmed_at__isnull", True), ("accepted_at__isnull", False), _connector="OR"),
                name="membership_confirmed_once_accepted",
            ),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", _ID),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("role", models.CharField(choices=_ROLES, max_length=32)),
                (
                    "scope_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None),
                ),
                ("created_by_id", models.UUIDField(editable=False, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("token_sha256", models.CharField(editable=False, max_length=64, null=True)),
                ("sent_at", models.DateTimeField(editable=False, null=True)),
                ("expires_at", models.DateTimeField(editable=False, null=True)),
                ("accepted_at", models.DateTimeField(editable=False, null=True)),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={"ordering": ("-created_at",)},
        ),
        migrations.AddIndex(
            model_name="invitation", index=models.Index(fields=["token_sha256"], name="invitation_by_token")
        ),
        migrations.CreateModel(
            name="AccountOrigin",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="origin",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("invited_by_id", models.UUIDField(editable=False, null=True)),
                ("mailbox_confirmed_at", models.DateTimeField(editable=False, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="AccountLink",
            fields=[
                ("id", _ID),
                (
                    "purpose",
                    models.CharField(
                        choices=[("password", "Set a password"), ("email", "Confirm an e-mail address")], max_length=16
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                ("token_sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(db_index=True)),
                ("used_at", models.DateTimeField(editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        _ISOLATED,
        PoliciesByCommand(
            "Invitation",
            read=f"USING (({_TENANT_IF_OPEN} AND (SELECT authz.may('member.view'))) OR {_LINK})",
            insert=f"WITH CHECK ({_TENANT} AND {_MEMBERS} AND scope_ids <@ {_SCOPES})",
            update=(
                f"USING ({_TENANT} AND ({_MEMBERS} OR {_LINK})) WITH CHECK ({_TENANT} AND ({_MEMBERS} OR {_LINK}))"
            ),
            updatable=("email", "token_sha256", "sent_at", "expires_at", "accepted_at", "revoked_at"),
            was=_ISOLATED,
        ),
        # glassbox_remover owns tenants_same_hands, which answers for readers who may not see whose hands.
        PoliciesByCommand(
            "AccountOrigin",
            read=_ORIGIN_READ,
            insert="WITH CHECK ((SELECT authz.identity(5)) IS NOT NULL)",
            update=f"USING ({_SELF}) WITH CHECK ({_SELF})",
            updatable=("mailbox_confirmed_at",),
        ),
        migrations.RunSQL(
            sql=f"""
                CREATE POLICY same_hands ON tenants_accountorigin FOR SELECT TO glassbox_remover {_ORIGIN_READ};
                GRANT SELECT ON tenants_accountorigin TO glassbox_remover;
                GRANT SELECT (tenant_id, user_id) ON tenants_membership TO glassbox_remover;
                REVOKE SELECT ON tenants_accountorigin FROM glassbox_api, glassbox_worker;
                GRANT SELECT (user_id, mailbox_confirmed_at) ON tenants_accountorigin
                    TO glassbox_api, glassbox_worker;
            """,  # noqa: S608 (constants)
            reverse_sql="""
                REVOKE SELECT (tenant_id, user_id) ON tenants_membership FROM glassbox_remover;
                DROP POLICY same_hands ON tenants_accountorigin;
            """,
        ),
        PoliciesByCommand(
            "AccountLink",
            read=f"USING ((SELECT authz.is_open()) AND ({_SELF} OR {_LINK} OR {_ENDED}))",
            insert=f"WITH CHECK ({_SELF})",
            update=f"USING ({_LINK}) WITH CHECK ({_LINK})",
            delete=f"USING ({_ENDED})",
            updatable=("used_at",),
        ),
        # A membership begins with its person's own token, and is confirmed by whoever may approve.
        PoliciesByCommand(
            "Membership",
            read=_MEMBERSHIP_READ,
            insert=f"WITH CHECK ({_TENANT} AND ({_PLATFORM} OR authz.acts_as(user_id)))",
            update=(
                f"USING ({_TENANT} AND revoked_at IS NULL AND ({_MEMBERS} OR {_APPROVES})) "
                f"WITH CHECK ({_TENANT} AND ({_MEMBERS} OR {_APPROVES}))"
            ),
            updatable=("revoked_at", "confirmed_at", "confirmed_by_id"),
            was=_MEMBERSHIPS_BEFORE,
        ),
        PoliciesByCommand(
            "Grant",
            read=_GRANT_READ,
            insert=_grants(f"membership_id IS NULL OR {_MEMBERS} OR {_INVITED}"),
            update=_GRANT_UPDATE,
            updatable=("valid_to",),
            was=_GRANTS_BEFORE,
        ),
        migrations.RunSQL(sql=_people.FORWARD, reverse_sql=_people.BACKWARD),
    ]
