"""What the directory's columns hold, and those of the libraries: the app of the directory lies below this one."""

from __future__ import annotations

from typing import Final

from apps.erasure.declarations.classified import Sort
from apps.erasure.registry import classify, classify_columns

_SURROGATE: Final = "The id names nobody once the account is empty."
_NOBODY_WRITES: Final = "It is empty: no role that runs anything may write here, or read it."


def classify_directory() -> None:
    _tenants()
    _people()
    _access()
    table, store = "tenants_idempotentrequest", ("tenants.requests", "corpus.answers_kept")
    classify_columns(
        table,
        "id tenant_id principal_kind scope_ids subject_id replayable status_code created_at expires_at",
        Sort.NONE,
        because="Ids, codes and times; a row lives for a day.",
    )
    classify(f"{table}.principal_id", Sort.IDENTIFIER, because="The account or key that asked.", cleared_by=store)
    classify_columns(
        table, "key_digest request_digest", Sort.DERIVED, because="Keyed digests of what was asked.", cleared_by=store
    )
    classify_columns(table, "location body", Sort.FREE_TEXT, because="What was answered.", cleared_by=store)
    classify_columns("tenants_session", "key_sha256 expires_at", Sort.NONE, because="A digest of random bits, a time.")
    classify(
        "tenants_session.content",
        Sort.SEALED,
        because="Who is signed in, signed. Nobody can tell from the table whose a session is.",
        stays="Eight hours, and the hour until it is swept: it ends with the account's password.",
    )


def _tenants() -> None:
    classify_columns(
        "tenants_tenant",
        "id residency_region residency_strict embedding_profile generation_profile status created_at",
        Sort.NONE,
        because="Ids and settings.",
    )
    classify_columns(
        "tenants_tenant",
        "slug name",
        Sort.FREE_TEXT,
        because="A firm's name may be its owner's.",
        cleared_by="tenants.tenant",
    )
    classify_columns("tenants_scope", "id tenant_id parent_id created_at", Sort.NONE, because="Ids and times.")
    classify_columns(
        "tenants_scope",
        "key name",
        Sort.FREE_TEXT,
        because="A mandate may bear a client's name.",
        cleared_by="tenants.scopes",
    )


def _people() -> None:
    table, store = "tenants_user", "tenants.access_accounts"
    classify_columns(
        table, "id is_superuser is_staff is_active date_joined", Sort.NONE, because="An id, settings, and since when."
    )
    kept = "While the person belongs to another tenant, or administers the platform: then it is not this tenant's."
    classify_columns(
        table,
        "username first_name last_name email last_login",
        Sort.IDENTIFIER,
        because="The person.",
        cleared_by=store,
        stays=kept,
    )
    classify(f"{table}.password", Sort.NONE, because="A stamp, random: the hash lies in tenants_credential.")
    classify("tenants_credential.user_id", Sort.IDENTIFIER, because="The account.", cleared_by=store, stays=kept)
    classify("tenants_credential.password", Sort.CREDENTIAL, because="A slow hash of it.", cleared_by=store, stays=kept)
    classify_columns(
        "tenants_membership",
        "id tenant_id role created_at invitation_id accepted_at confirmed_at revoked_at",
        Sort.NONE,
        because="Ids and times.",
    )
    classify_columns(
        "tenants_membership",
        "created_by_id confirmed_by_id",
        Sort.IDENTIFIER,
        because="Who invited, and who confirmed.",
        cleared_by="tenants.access_memberships",
        stays=f"Of somebody else's membership: who gave access is to be shown. {_SURROGATE}",
    )
    _coming_in()
    _second_factors()
    classify(
        "tenants_membership.user_id", Sort.IDENTIFIER, because="The account.", cleared_by="tenants.access_memberships"
    )
    for table, other in (("tenants_user_groups", "group_id"), ("tenants_user_user_permissions", "permission_id")):
        classify_columns(table, f"id {other}", Sort.NONE, because="Django's own; not used.")
        classify(f"{table}.user_id", Sort.IDENTIFIER, because="Django's own; not used.", stays=_NOBODY_WRITES)


def _coming_in() -> None:
    table = "tenants_invitation"
    classify_columns(
        table,
        "id tenant_id role scope_ids created_at sent_at expires_at accepted_at revoked_at",
        Sort.NONE,
        because="Ids, a code and times.",
    )
    classify(
        f"{table}.email",
        Sort.IDENTIFIER,
        because="The mailbox that is invited.",
        stays="Until it is accepted or withdrawn, seven days at most, and the hour until it is swept.",
    )
    classify(
        f"{table}.created_by_id",
        Sort.IDENTIFIER,
        because="Who invites.",
        stays=f"Who gave access is to be shown. {_SURROGATE}",
    )
    classify(
        f"{table}.token_sha256",
        Sort.CREDENTIAL,
        because="A digest of the link's secret.",
        stays="The link works once, for seven days: it opens nothing afterwards.",
    )
    table = "tenants_accountorigin"
    classify(f"{table}.mailbox_confirmed_at", Sort.NONE, because="A time.")
    classify_columns(
        table,
        "user_id invited_by_id",
        Sort.IDENTIFIER,
        because="Whose hands the account comes from.",
        stays=f"What was decided is judged by it. {_SURROGATE}",
    )
    table = "tenants_accountlink"
    classify_columns(table, "id purpose created_at expires_at used_at", Sort.NONE, because="Ids, a code and times.")
    an_hour = "The hour that the link works, and the one until it is swept."
    classify_columns(
        table, "user_id email", Sort.IDENTIFIER, because="The account, and the mailbox it was sent to.", stays=an_hour
    )
    classify(f"{table}.token_sha256", Sort.CREDENTIAL, because="A digest of the link's secret.", stays=an_hour)


def _second_factors() -> None:
    nothing = "It opens nothing without the account's password, which an erasure takes away."
    classify_columns("tenants_secondfactor", "created_at confirmed_at last_step", Sort.NONE, because="Times.")
    classify("tenants_secondfactor.user_id", Sort.IDENTIFIER, because="The account.", stays=_SURROGATE)
    classify("tenants_secondfactor.sealed", Sort.SEALED, because="The secret of an authenticator app.", stays=nothing)
    classify_columns("tenants_recoverycode", "id used_at", Sort.NONE, because="An id and a time.")
    classify("tenants_recoverycode.user_id", Sort.IDENTIFIER, because="The account.", stays=_SURROGATE)
    classify("tenants_recoverycode.code_sha256", Sort.CREDENTIAL, because="A digest of it.", stays=nothing)
    table = "tenants_factorreset"
    classify_columns(table, "id tenant_id asked_at agreed_at revoked_at", Sort.NONE, because="Ids and times.")
    classify_columns(
        table,
        "user_id asked_by_id agreed_by_id",
        Sort.IDENTIFIER,
        because="Whose factor it was, who asked and who agreed.",
        stays=f"Who took a proof of a person away is to be shown. {_SURROGATE}",
    )
    classify(
        f"{table}.reason",
        Sort.FREE_TEXT,
        because="Why it was taken away.",
        stays="What two people took a proof of a person away for is to be shown.",
    )


def _access() -> None:
    table = "tenants_apikey"
    classify_columns(
        table,
        "id tenant_id role created_at expires_at last_used_at revoked_at rotated_from_id with_second_factor",
        Sort.NONE,
        because="Ids and times.",
    )
    classify(
        f"{table}.name",
        Sort.FREE_TEXT,
        because="What uses the key.",
        cleared_by="tenants.access_keys",
        stays="Of a tenant's key, when a person is erased: it is the name of a program.",
    )
    classify_columns(
        table,
        "prefix secret_sha256",
        Sort.CREDENTIAL,
        because="How the key begins, and a digest of it.",
        cleared_by="tenants.access_keys",
        stays="Of a tenant's key, when a person is erased: it is nobody's.",
    )
    classify(f"{table}.person_id", Sort.IDENTIFIER, because="Whom the key acts for.", cleared_by="tenants.access_keys")
    classify(
        f"{table}.created_by_id",
        Sort.IDENTIFIER,
        because="Who made the key.",
        cleared_by="tenants.access_keys",
        stays="Of a tenant's key, when a person is erased: who gave access is to be shown, and a key that has ended is "
        f"never changed (tenants/sql/api_keys.sql). {_SURROGATE}",
    )
    table = "tenants_grant"
    classify_columns(table, "id tenant_id scope_id valid_from valid_to", Sort.NONE, because="Ids and times.")
    classify_columns(
        table,
        "membership_id api_key_id",
        Sort.IDENTIFIER,
        because="Whom a scope is open to, by way of their membership or key.",
        cleared_by="tenants.access_grants",
        stays="Of a tenant's key, when a person is erased: it is nobody's.",
    )


def classify_platform() -> None:
    """Tables of Django, of Celery's schedule, and of the wall: nothing of a tenant is in any of them."""
    classify_columns("authz.signing_key", "kid", Sort.NONE, because="A key's name.")
    classify_columns(
        "authz.signing_key",
        "inner_pad outer_pad",
        Sort.CREDENTIAL,
        because="The key that scope tokens are verified by.",
        stays="It is the platform's, and nobody's.",
    )
    classify_columns(
        "authz.event_class",
        "action groups required permissions binding",
        Sort.NONE,
        because="Codes, as the code registers them.",
    )
    classify_columns(
        "authz.session_limit", "role statement transaction idle grace", Sort.NONE, because="Limits of our own roles."
    )
    table = "authz.repeated_removal"
    classify_columns(table, "tenant_id type until", Sort.NONE, because="An id, a code and a time.")
    classify(
        f"{table}.item_id",
        Sort.IDENTIFIER,
        because="Ids of what is removed again from a database that was put back, also of accounts.",
        stays="Until that removal is done. What a process that was killed leaves there counts for a day, and goes with "
        "the tenant's next removal of this kind; an id names nobody once what it named is gone.",
    )
    for table, columns in (
        ("auth_group", "id name"),
        ("auth_group_permissions", "id group_id permission_id"),
        ("auth_permission", "id name content_type_id codename"),
        ("django_content_type", "id app_label model"),
        ("django_migrations", "id app name applied"),
    ):
        classify_columns(table, columns, Sort.NONE, because="The platform's own, the same for every tenant.")
    table = "django_admin_log"
    classify_columns(table, "id action_time action_flag content_type_id", Sort.NONE, because="Django's own; not used.")
    classify(f"{table}.user_id", Sort.IDENTIFIER, because="Django's own; not used.", stays=_NOBODY_WRITES)
    classify_columns(
        table,
        "object_id object_repr change_message",
        Sort.FREE_TEXT,
        because="Django's own; not used.",
        stays=_NOBODY_WRITES,
    )
