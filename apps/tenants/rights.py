"""The database's roles and defaults, and the rights of roles beyond isolated tables.

The code that grants these rights and the checks that compare them with the database both read this module.
"""

from __future__ import annotations

from collections.abc import Mapping

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker")
# The other roles that a person or a process may log in as. Row-level security holds for all of these.
ORDINARY_ROLES = (*RUNTIME_ROLES, "glassbox_auditor", "glassbox_eraser")

# Functions that run with the rights of a role that nobody logs in as, and that no role is a member of. Calling them is
# the only way to use those rights.
_RECORD = "public.audit_record(uuid, uuid[], text, text, text, uuid, uuid, text[], bytea[], bytea[], text[])"
HANDED_OVER: Mapping[str, str] = {
    _RECORD: "glassbox_recorder",
    "public.audit_erase(uuid, text, uuid)": "glassbox_remover",
    "public.audit_removal_targets(text)": "glassbox_remover",
    "public.audit_removal_terms()": "glassbox_remover",
    "public.audit_remove_of_tenant(text, integer)": "glassbox_remover",
    "public.audit_empty_log(uuid, integer)": "glassbox_remover",
    "public.audit_destroy_keys(uuid)": "glassbox_remover",
    "public.audit_forget_request(uuid)": "glassbox_remover",
    "public.audit_forget_access(uuid)": "glassbox_remover",
    "public.audit_remove_packages(uuid[], integer)": "glassbox_remover",
    "public.restricted_documents()": "glassbox_remover",
    "public.hidden_documents()": "glassbox_remover",
    "public.held_documents()": "glassbox_remover",
    "public.corpus_document_is_kept()": "glassbox_remover",
    "public.intents_replaced_held()": "glassbox_remover",
    "public.corpus_document_received_first()": "glassbox_remover",
    "public.corpus_document_moved_lasting()": "glassbox_remover",
    "public.intents_documented_kinds()": "glassbox_surveyor",
    "public.tenants_password(uuid)": "glassbox_authz",
    "public.tenants_password_keep(uuid, text)": "glassbox_authz",
    "public.tenants_password_gone()": "glassbox_authz",
    "public.tenants_same_hands(uuid)": "glassbox_remover",
    "public.tenants_of_account(uuid, text, text)": "glassbox_remover",
    "public.tenants_has_mailbox(uuid, text)": "glassbox_remover",
    "public.tenants_links_end()": "glassbox_remover",
    "public.tenants_personal_keys_end()": "glassbox_remover",
    "public.tenants_factor_stands()": "glassbox_remover",
    "public.tenants_factor_given_up(uuid)": "glassbox_remover",
}
# The roles beside glassbox_backup that no policy binds, and all that each may read. Nobody logs in as them, or is a
# member of them. Each owns functions that answer across scopes, with no more than their callers may know.
BEYOND_SCOPES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "glassbox_surveyor": {"corpus_document": ("kind", "tenant_id")},
}
# Functions of HANDED_OVER that policies call. Every role that reads the tables calls them, including the tables' owner
# with an open scope.
ASKED_BY_POLICIES = ("public.restricted_documents()", "public.hidden_documents()", "public.held_documents()")
# Functions of HANDED_OVER that glassbox_owner, which made them, still calls: those of the policies when it reads the
# tables, _RECORD to record that a log was restored, and tenants_of_account to count what was restored with it.
CALLED_BY_OWNER = (*ASKED_BY_POLICIES, _RECORD, "public.tenants_of_account(uuid, text, text)")
# Functions of HANDED_OVER that the log's own function calls: what an executing run names (audit/sql/recording.sql), and
# what the policies of documents call.
ASKED_BY_RECORDER = (
    "public.audit_removal_targets(text)",
    "public.audit_removal_terms()",
    "public.hidden_documents()",
)

# Functions of pg_catalog that bypass row-level security and that everybody may call by default, as LIKE patterns of
# their names, or with the types of their arguments. They reveal other sessions' activity, or the server and its files,
# or act on the server. tests/isolation/open_functions.txt lists the other functions, one by one.
CLOSED_FUNCTIONS = (
    r"pg\_stat\_get\_%",
    r"lo\_%",
    "loread",
    "lowrite",
    r"pg\_lock\_status",
    r"pg\_blocking\_pids",
    r"pg\_cancel\_backend",
    r"pg\_terminate\_backend",
    r"pg\_notify",
    r"pg\_relation\_size",
    r"pg\_total\_relation\_size",
    r"pg\_table\_size",
    r"pg\_indexes\_size",
    r"pg\_database\_size",
    r"pg\_tablespace\_size",
    r"pg\_get\_multixact\_members",
    r"pg\_stat\_have\_stats",
    r"pg\_prepared\_xact",
    # Which transactions of others are running, and how they ended. (A transaction may still read its own id: the
    # triggers of runs of removals need it, and every row that the transaction writes contains it.)
    r"txid\_current\_snapshot",
    r"txid\_status",
    r"pg\_current\_snapshot",
    r"pg\_xact\_%",
    r"pg\_last\_%",
    "age(xid)",
    r"mxid\_age",
    r"pg\_safe\_snapshot\_blocking\_pids",
    r"pg\_isolation\_test\_session\_is\_blocked",
    r"pg\_export\_snapshot",
    # How much the server writes.
    r"pg\_current\_wal\_%",
    r"pg\_get\_wal\_%",
    r"pg\_is\_wal\_%",
    r"pg\_wal\_%",
    r"pg\_available\_wal\_%",
    r"pg\_control\_checkpoint",
    r"pg\_control\_recovery",
    r"pg\_control\_init",
    r"pg\_notification\_queue\_usage",
    r"pg\_column\_toast\_chunk\_id",
    # Where the newest version of a row lies, even of a hidden one, which reveals that and when it was changed.
    "currtid%",
    r"pg\_nextoid",
    # Replication and upgrades.
    r"pg\_%replication\_slot%",
    r"pg\_replication\_%",
    r"pg\_logical\_%",
    r"binary\_upgrade\_%",
    r"pg\_stop\_making\_pinned\_objects",
    r"pg\_import\_system\_collations",
    # Where files lie, and since when the server runs.
    r"pg\_relation\_file%",
    r"pg\_filenode\_relation",
    r"pg\_tablespace\_%",
    r"pg\_conf\_load\_time",
    r"pg\_postmaster\_start\_time",
)

# The functions that stay marked LEAKPROOF, as a regular expression (sql/closed_doors.sql).
LEAKPROOF_FUNCTIONS = (
    "^(uuid_eq|texteq|date_eq|timestamptz_eq|int[248]{1,2}eq|int8[24]?(lt|le|gt|ge)|timestamptz_(lt|le|gt|ge))$"
)

# Without this setting no isolated table can be read: see authz.conditions_in_order in sql/authz.sql.
DATABASE_DEFAULTS: Mapping[str, str] = {"cpu_operator_cost": "0"}

# The columns that hold secrets, and the roles that may read each by SQL. No other role may, and no other column holds a
# secret: a test compares them with the inventory of personal data (apps/audit/registry.py).
SECRET_COLUMNS: Mapping[str, tuple[str, ...]] = {
    # A slow hash of a password. Two functions of glassbox_authz reach the hash of one account.
    "public.tenants_credential.password": (),
    "authz.signing_key.inner_pad": (),
    "authz.signing_key.outer_pad": (),
    # A stamp, which changes with the password and reveals nothing about it. A function returns it to its own person.
    "public.tenants_user.password": (),
    # A digest of 256 random bits: there is nothing to guess, and it does not sign anybody in.
    "public.tenants_apikey.secret_sha256": RUNTIME_ROLES,
    "public.tenants_apikey.prefix": (*RUNTIME_ROLES, "glassbox_auditor"),
    # Digests of random bits as well: of links, and of recovery codes, which can't be guessed while they are valid.
    "public.tenants_invitation.token_sha256": RUNTIME_ROLES,
    "public.tenants_accountlink.token_sha256": RUNTIME_ROLES,
    "public.tenants_recoverycode.code_sha256": RUNTIME_ROLES,
    # The secret of an authenticator app, sealed by a key outside the database.
    "public.tenants_secondfactor.sealed": RUNTIME_ROLES,
    # Data keys, wrapped by a key outside the database. The eraser destroys them, and wraps those that it erases with.
    "public.audit_datakey.wrapped_key": (*RUNTIME_ROLES, "glassbox_auditor", "glassbox_eraser"),
    # The address that events are sent to, and the secret that signs them, sealed by a data key of the tenant.
    "public.audit_webhook.url": RUNTIME_ROLES,
    "public.audit_webhook.sealed": RUNTIME_ROLES,
    # Only the session whose key the transaction was sent can be read, by the digest of that key.
    "public.tenants_session.content": RUNTIME_ROLES,
    "public.tenants_session.key_sha256": RUNTIME_ROLES,
}

# Tables that are not isolated, since they hold nothing of a tenant: role -> table -> the rights that the role needs. A
# table that is neither here nor isolated is closed to these roles.
GLOBAL_GRANTS: Mapping[str, Mapping[str, str]] = {
    "glassbox_api": {
        "django_content_type": "SELECT",
        "django_migrations": "SELECT",
    },
    "glassbox_worker": {
        "django_content_type": "SELECT",
        "django_migrations": "SELECT",
    },
    # At its start the eraser checks whether the tables are those of its release.
    "glassbox_eraser": {"django_migrations": "SELECT"},
}
