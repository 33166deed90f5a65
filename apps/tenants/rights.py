"""The database's roles, and what they may do beyond isolated tables: read where it is given and where it is checked."""

from __future__ import annotations

from collections.abc import Mapping

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker")
# Those that a person or a queue may log in as besides; none of them may see past the wall either.
ORDINARY_ROLES = (*RUNTIME_ROLES, "glassbox_auditor", "glassbox_eraser")

# Functions that run with the rights of a role that nobody logs in as or is a member of: the only way to those rights.
HANDED_OVER: Mapping[str, str] = {
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
}
# Those of them that policies ask: whoever reads the tables calls them, their owner with a scope open included.
ASKED_BY_POLICIES = ("public.restricted_documents()", "public.hidden_documents()", "public.held_documents()")

# Functions of pg_catalog that look past row-level security and that everybody may call by default, as LIKE patterns.
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
)

_ALL_ROWS = "SELECT, INSERT, UPDATE, DELETE"
# Tables that nobody isolates, since they hold nothing of a tenant: role -> table -> the rights that it cannot do
# without. A table that is neither here nor isolated is closed to both.
GLOBAL_GRANTS: Mapping[str, Mapping[str, str]] = {
    "glassbox_api": {
        "django_content_type": "SELECT",
        "django_migrations": "SELECT",
        # The start page tells from them that the schedule is alive. Whoever could write here could have any task run,
        # for any tenant.
        "django_celery_beat_periodictask": "SELECT",
        "django_celery_beat_periodictasks": "SELECT",
    },
    "glassbox_worker": {
        "django_content_type": "SELECT",
        "django_migrations": "SELECT",
        "django_celery_beat_clockedschedule": _ALL_ROWS,
        "django_celery_beat_crontabschedule": _ALL_ROWS,
        "django_celery_beat_intervalschedule": _ALL_ROWS,
        "django_celery_beat_periodictask": _ALL_ROWS,
        "django_celery_beat_periodictasks": _ALL_ROWS,
        "django_celery_beat_solarschedule": _ALL_ROWS,
    },
    # At its start it asks whether the tables are those of its release.
    "glassbox_eraser": {"django_migrations": "SELECT"},
}
