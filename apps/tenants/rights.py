"""The database's roles, its defaults, and what roles may do beyond isolated tables: read where given and checked."""

from __future__ import annotations

from collections.abc import Mapping

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker")
# Those that a person or a queue may log in as besides; none of them may see past the wall either.
ORDINARY_ROLES = (*RUNTIME_ROLES, "glassbox_auditor", "glassbox_eraser")

# Functions that run with the rights of a role that nobody logs in as or is a member of: the only way to those rights.
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
# Those of them that policies ask: whoever reads the tables calls them, their owner with a scope open included.
ASKED_BY_POLICIES = ("public.restricted_documents()", "public.hidden_documents()", "public.held_documents()")
# Those that their first owner calls all the same: as it does for whoever reads; to say that a log was put back; and to
# count what came back with it.
CALLED_BY_OWNER = (*ASKED_BY_POLICIES, _RECORD, "public.tenants_of_account(uuid, text, text)")
# Those of them that the log's own function asks: what an executing run names (audit/sql/recording.sql), and what
# the policies of documents ask of it, too.
ASKED_BY_RECORDER = (
    "public.audit_removal_targets(text)",
    "public.audit_removal_terms()",
    "public.hidden_documents()",
)

# Functions of pg_catalog that look past row-level security and that everybody may call by default, as LIKE patterns of
# their names, or with the types of their arguments: what tells of others' activity, of the server and its files, and
# what acts on it. tests/isolation/open_functions.txt lists the others, one by one.
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
    # Which transactions of others are running, and what became of one. (One's own id stays open: the triggers of runs
    # of removals ask for it, and it stands in every row that one writes.)
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
    # How much is written.
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
    # Where the newest version of a row lies, of a hidden one too: that it was changed, and when.
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

# What stays marked LEAKPROOF, as a regular expression: see sql/closed_doors.sql.
LEAKPROOF_FUNCTIONS = (
    "^(uuid_eq|texteq|date_eq|timestamptz_eq|int[248]{1,2}eq|int8[24]?(lt|le|gt|ge)|timestamptz_(lt|le|gt|ge))$"
)

# Without it no walled table can be read: see authz.conditions_in_order in sql/authz.sql.
DATABASE_DEFAULTS: Mapping[str, str] = {"cpu_operator_cost": "0"}

# Columns that hold secrets, and who may read each by SQL: nobody may read more, and no other column is one (a test
# compares them with the inventory of personal data, apps/audit/registry.py).
SECRET_COLUMNS: Mapping[str, tuple[str, ...]] = {
    # A slow hash of a password: two functions of glassbox_authz reach one account's.
    "public.tenants_credential.password": (),
    "authz.signing_key.inner_pad": (),
    "authz.signing_key.outer_pad": (),
    # A stamp: it changes with the password, and tells nothing of it. A function reads it to its own person.
    "public.tenants_user.password": (),
    # A digest of 256 random bits: there is nothing to guess, and it does not sign anybody in.
    "public.tenants_apikey.secret_sha256": RUNTIME_ROLES,
    "public.tenants_apikey.prefix": (*RUNTIME_ROLES, "glassbox_auditor"),
    # Digests of random bits, too: of links, and of codes for a lost device, which no guess finds in their time.
    "public.tenants_invitation.token_sha256": RUNTIME_ROLES,
    "public.tenants_accountlink.token_sha256": RUNTIME_ROLES,
    "public.tenants_recoverycode.code_sha256": RUNTIME_ROLES,
    # Of an authenticator app, sealed by a key outside the database.
    "public.tenants_secondfactor.sealed": RUNTIME_ROLES,
    # Wrapped by a key outside the database; the eraser destroys them and wraps what it erases by.
    "public.audit_datakey.wrapped_key": (*RUNTIME_ROLES, "glassbox_auditor", "glassbox_eraser"),
    # Where events are sent, and what they are signed with, sealed by a data key of the tenant.
    "public.audit_webhook.url": RUNTIME_ROLES,
    "public.audit_webhook.sealed": RUNTIME_ROLES,
    # Of the one session whose key the transaction was sent, under the digest of that key.
    "public.tenants_session.content": RUNTIME_ROLES,
    "public.tenants_session.key_sha256": RUNTIME_ROLES,
}

# Tables that nobody isolates, since they hold nothing of a tenant: role -> table -> the rights that it cannot do
# without. A table that is neither here nor isolated is closed to both.
GLOBAL_GRANTS: Mapping[str, Mapping[str, str]] = {
    "glassbox_api": {
        "django_content_type": "SELECT",
        "django_migrations": "SELECT",
    },
    "glassbox_worker": {
        "django_content_type": "SELECT",
        "django_migrations": "SELECT",
    },
    # At its start it asks whether the tables are those of its release.
    "glassbox_eraser": {"django_migrations": "SELECT"},
}
