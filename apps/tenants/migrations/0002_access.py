"""Who may do what with each row of the directory, what the database holds of it, and what the eraser may do there."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import PoliciesByCommand, RunSqlFile
from apps.tenants.stamping import Stamp

_OPEN = "(SELECT authz.is_open())"
_TENANT = "tenant_id = (SELECT authz.tenant())"
_TENANT_IF_OPEN = "tenant_id = (SELECT authz.tenant_if_open())"
_SCOPES = "(SELECT authz.scopes())::uuid[]"
_SELF = "user_id = (SELECT authz.identity(1))::uuid"
_LINK = "token_sha256 = (SELECT authz.identity(9))"
_ENDED = "((SELECT authz.identity(8)) = 'all' AND expires_at <= now())"
_PLATFORM = "(SELECT authz.may('glassbox.platform'))"
_MEMBERS = "(SELECT authz.may('member.manage'))"
_KEYS = "(SELECT authz.may('key.manage'))"
_OWN = "(authz.acts_as({person}) AND (SELECT authz.may('key.own')))"
_APPROVES = "(SELECT authz.may('policy.approve')) OR (SELECT authz.may('privacy.approve'))"
# Conditions with this are for functions of glassbox_remover's alone, which answer for readers who may not see the rows.
_REMOVER = "CURRENT_USER = 'glassbox_remover'"


def _change(using: str, check: str = "") -> str:
    return f"USING ({using}) WITH CHECK ({check or using})"


# --- Accounts and their sessions, links and second factors: with the identity of that very account -------------------

# A name in a token is in hex. An invitation compares without regard to capitals.
_NAMED = "upper(username) = upper(convert_from(decode((SELECT authz.identity(5)), 'hex'), 'UTF8'))"
_ACCOUNT = "id = (SELECT authz.identity(1))::uuid OR (SELECT authz.identity(7)) = 'all'"
_SESSION = "key_sha256 = (SELECT authz.identity(6))"
_COLLEAGUE = (
    "EXISTS (SELECT FROM tenants_membership m WHERE m.user_id = {account} "
    "AND m.tenant_id = (SELECT authz.tenant_if_open()))"
)
# For tenants_links_end alone, which runs where a password is set, or an address.
_OF_CHANGED = (
    f"({_REMOVER} AND ((SELECT authz.identity(7)) = 'all' OR {_SELF} OR user_id = (SELECT authz.identity(10))::uuid))"
)
# For functions that answer with yes or no.
_OF_ACTOR = f"({_REMOVER} AND user_id = (SELECT authz.person()))"

_ACCOUNTS = (
    PoliciesByCommand(
        "User",
        read=f"USING ({_OPEN} AND ({_ACCOUNT} OR {_NAMED} OR {_COLLEAGUE.format(account='tenants_user.id')}))",
        insert=f"WITH CHECK ({_NAMED})",
        update=_change(_ACCOUNT),
        # is_superuser, is_staff and username are set when an account is made, and never again by what serves.
        updatable=("password", "last_login", "first_name", "last_name", "email", "is_active"),
        remover={"read": "has_mailbox"},
    ),
    PoliciesByCommand(
        "Session",
        read=f"USING ({_OPEN} AND ({_SESSION} OR {_ENDED}))",
        insert=f"WITH CHECK ({_SESSION})",
        update=_change(_SESSION),
        delete=f"USING ({_SESSION} OR {_ENDED})",
        updatable=("content", "expires_at"),
    ),
    PoliciesByCommand(
        "AccountOrigin",
        read=(
            f"USING ({_OPEN} AND ({_REMOVER} OR {_SELF} "
            f"OR {_COLLEAGUE.format(account='tenants_accountorigin.user_id')}))"
        ),
        insert="WITH CHECK ((SELECT authz.identity(5)) IS NOT NULL)",
        update=_change(_SELF),
        updatable=("mailbox_confirmed_at",),
        remover={"read": "same_hands"},
    ),
    PoliciesByCommand(
        "AccountLink",
        read=f"USING ({_OPEN} AND ({_SELF} OR {_LINK} OR {_ENDED} OR {_OF_CHANGED}))",
        insert="WITH CHECK (user_id = (SELECT authz.identity(11))::uuid)",
        update=_change(_LINK),
        delete=f"USING ({_ENDED} OR {_OF_CHANGED})",
        updatable=("used_at",),
        remover={"read": "links_end", "delete": "links_end_delete"},
    ),
    PoliciesByCommand(
        "SecondFactor",
        read=f"USING ({_OPEN} AND ({_SELF} OR {_OF_ACTOR}))",
        insert=f"WITH CHECK ({_SELF})",
        update=_change(_SELF),
        delete=f"USING ({_SELF})",
        updatable=("confirmed_at", "last_step"),
        remover={"read": "factor_stands"},
    ),
    PoliciesByCommand(
        "RecoveryCode",
        read=f"USING ({_OPEN} AND {_SELF})",
        insert=f"WITH CHECK ({_SELF})",
        update=_change(_SELF),
        delete=f"USING ({_SELF})",
        updatable=("used_at",),
    ),
    PoliciesByCommand(
        "FactorReset",
        read=f"USING ({_TENANT} OR ({_REMOVER} AND {_SELF}))",
        insert=f"WITH CHECK ({_TENANT} AND {_MEMBERS})",
        update=_change(f"{_TENANT} AND ({_MEMBERS} OR {_APPROVES})"),
        updatable=("agreed_by_id", "agreed_at", "revoked_at"),
        remover={"read": "factor_given_up"},
    ),
)

# --- Tenants, and who reaches what of them ----------------------------------------------------------------------------

_MANAGED_TENANT = "id = (SELECT authz.tenant()) AND (SELECT authz.may('tenant.manage'))"
_MANAGED_SCOPE = f"{_TENANT} AND id = ANY ({_SCOPES}) AND (SELECT authz.may('scope.manage'))"
_OWN_KEY = _OWN.format(person="person_id")
# For tenants_personal_keys_end alone, which runs where a membership, a factor or a password ends.
_KEYS_END = (
    f"CASE WHEN {_REMOVER} THEN ({_TENANT_IF_OPEN} OR person_id = (SELECT authz.identity(1))::uuid) "
    "AND person_id IS NOT NULL ELSE {others} END"
)


def _granted_key(condition: str) -> str:
    """What holds of the key that a grant is for; the key's row is of the grant's tenant."""
    return (
        "EXISTS (SELECT FROM tenants_apikey k WHERE k.tenant_id = tenants_grant.tenant_id "
        f"AND k.id = tenants_grant.api_key_id AND {condition})"
    )


_OWN_GRANT = _granted_key(_OWN.format(person="k.person_id"))
_ORDINARY_GRANT = _granted_key(f"k.person_id IS NULL AND {_KEYS}")
# What the invitation names, in the transaction that accepts it.
_INVITED = (
    "EXISTS (SELECT FROM tenants_membership m JOIN tenants_invitation i "
    "ON i.tenant_id = m.tenant_id AND i.id = m.invitation_id "
    "WHERE m.tenant_id = tenants_grant.tenant_id AND m.id = tenants_grant.membership_id AND authz.acts_as(m.user_id) "
    "AND i.token_sha256 = (SELECT authz.identity(9)) AND i.accepted_at = now() "
    "AND tenants_grant.scope_id = ANY (i.scope_ids))"
)
# Who declines a membership need not manage members: whoever may change rows of the tenant at all ends its grants, which
# give nothing any more.
_OF_ENDED = (
    "EXISTS (SELECT FROM tenants_membership m WHERE m.tenant_id = tenants_grant.tenant_id "
    "AND m.id = tenants_grant.membership_id AND m.revoked_at IS NOT NULL)"
)
# An administrator may end anybody's key and its grants, and give neither to a key that acts for a person.
_MAY_GIVE = (
    f"(membership_id IS NULL OR {_MEMBERS} OR {_INVITED}) AND (api_key_id IS NULL OR {_ORDINARY_GRANT} OR {_OWN_GRANT})"
)
_MAY_END = f"(membership_id IS NULL OR {_MEMBERS}{{also}}) AND (api_key_id IS NULL OR {_KEYS} OR {_OWN_GRANT})"

_DIRECTORY = (
    PoliciesByCommand(
        "Tenant",
        read=(
            "USING (id = (SELECT authz.tenant_if_open()) OR id = (SELECT authz.identity(3))::uuid "
            "OR (SELECT authz.identity(4)) = 'all' OR EXISTS (SELECT FROM tenants_membership m "
            "WHERE m.tenant_id = tenants_tenant.id AND m.user_id = (SELECT authz.identity(1))::uuid))"
        ),
        insert=f"WITH CHECK ({_MANAGED_TENANT})",
        update=_change(_MANAGED_TENANT),
        # Not its short name: that is unique on the platform, and trying one would tell whether it is taken.
        updatable=("name", "residency_region", "residency_strict", "embedding_profile", "generation_profile", "status"),
    ),
    PoliciesByCommand(
        "Scope",
        read=(
            f"USING (({_TENANT_IF_OPEN} AND id = ANY ((SELECT authz.scopes_if_open())::uuid[])) "
            "OR tenant_id = (SELECT authz.identity(3))::uuid)"
        ),
        insert=(
            f"WITH CHECK ({_TENANT} AND id = ANY ({_SCOPES}) AND (parent_id IS NULL OR parent_id = ANY ({_SCOPES})) "
            "AND (SELECT authz.may('scope.manage')))"
        ),
        update=_change(_MANAGED_SCOPE),
        # Not its place: grants hang on that. Its name and its key can hold a person's name, and an erasure asks for them.
        updatable=("key", "name"),
        remover={"read": "removal"},
    ),
    # A membership begins with its person's own token, and is confirmed by whoever may approve. What has ended stays as
    # it was: it is what "who could reach what, when" is answered from.
    PoliciesByCommand(
        "Membership",
        read=f"USING ({_TENANT_IF_OPEN} OR {_SELF})",
        insert=f"WITH CHECK ({_TENANT} AND ({_PLATFORM} OR authz.acts_as(user_id)))",
        update=_change(
            f"{_TENANT} AND revoked_at IS NULL AND ({_MEMBERS} OR ({_APPROVES}))",
            f"{_TENANT} AND ({_MEMBERS} OR ({_APPROVES}))",
        ),
        updatable=("revoked_at", "confirmed_at", "confirmed_by_id"),
        remover={"read": "same_hands"},
    ),
    PoliciesByCommand(
        "Invitation",
        read=f"USING (({_TENANT_IF_OPEN} AND (SELECT authz.may('member.view'))) OR {_LINK})",
        insert=f"WITH CHECK ({_TENANT} AND {_MEMBERS} AND scope_ids <@ {_SCOPES})",
        update=_change(f"{_TENANT} AND ({_MEMBERS} OR {_LINK})"),
        updatable=("email", "token_sha256", "sent_at", "expires_at", "accepted_at", "revoked_at"),
    ),
    PoliciesByCommand(
        "ApiKey",
        read=f"USING ({_KEYS_END.format(others=f'{_TENANT_IF_OPEN} OR prefix = (SELECT authz.identity(2))')})",
        insert=f"WITH CHECK ({_TENANT} AND ((person_id IS NULL AND {_KEYS}) OR {_OWN_KEY}))",
        # person_id is no column that anything which serves may change.
        update=_change(_KEYS_END.format(others=f"{_TENANT} AND ({_KEYS} OR {_OWN_KEY})")),
        updatable=("name", "expires_at", "revoked_at", "last_used_at"),
        remover={"read": "keys_end", "update": "keys_end_update"},
    ),
    PoliciesByCommand(
        "Grant",
        read=f"USING ({_TENANT_IF_OPEN} OR tenant_id = (SELECT authz.identity(3))::uuid)",
        # Nobody gives what they do not hold, nor to themselves without the right to give.
        insert=f"WITH CHECK ({_TENANT} AND scope_id = ANY ({_SCOPES}) AND {_MAY_GIVE})",
        update=_change(
            f"{_TENANT} AND valid_to IS NULL AND {_MAY_END.format(also=f' OR {_OF_ENDED}')}",
            f"{_TENANT} AND valid_to IS NOT NULL AND {_MAY_END.format(also=f' OR {_OF_ENDED}')}",
        ),
        updatable=("valid_to",),
    ),
)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_initial")]

    operations = [
        *_ACCOUNTS,
        *_DIRECTORY,
        RunSqlFile("names.sql"),
        RunSqlFile("personal_columns.sql"),
        RunSqlFile("passwords.sql"),
        RunSqlFile("memberships.sql"),
        RunSqlFile("accounts.sql"),
        RunSqlFile("account_links.sql"),
        RunSqlFile("second_factor.sql"),
        RunSqlFile("api_keys.sql"),
        RunSqlFile("decisions.sql"),
        RunSqlFile("flows.sql"),
        # Beside what the tables' own triggers hold, which fire after these and have the last word.
        Stamp("Tenant", created_at="own made"),
        Stamp("Scope", created_at="own made"),
        Stamp("Membership", created_at="own made", revoked_at="own once"),
        Stamp("Grant", valid_from="own made", valid_to="own once"),
        Stamp("ApiKey", created_at="own made", revoked_at="own once", last_used_at="own time"),
        Stamp("User", date_joined="own made", last_login="own time"),
        Stamp("IdempotentRequest", created_at="own made"),
        Stamp("Invitation", created_at="own made", accepted_at="own once", revoked_at="own once", sent_at="own time"),
        Stamp("AccountOrigin", mailbox_confirmed_at="own time"),
        Stamp("AccountLink", created_at="own made", used_at="own once"),
        Stamp("SecondFactor", created_at="own made", confirmed_at="own once"),
        Stamp("RecoveryCode", used_at="own once"),
        Stamp("FactorReset", asked_at="own made", agreed_at="own once", revoked_at="own once"),
    ]
