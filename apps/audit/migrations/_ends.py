"""What the database holds of the ends of runs. Part of migration 0018.

What came into a scope or tenant since its erasure was proposed joins the targets, before it is approved: by the
platform alone, and for a request. A physical proof that can't be made is given up by one person who manages privacy and
another who approves, each in their own name; from then on the run ends without it, and never as if it had been made.
"""

from __future__ import annotations

from importlib import import_module

from apps.audit.migrations import _certificate

_in_flight = import_module("apps.audit.migrations.0016_in_flight")


def _changed(text: str, *edits: tuple[str, str]) -> str:
    for before, after in edits:
        if text.count(before) != 1:
            raise RuntimeError(f"an earlier migration is not what this one builds upon: {before}")
        text = text.replace(before, after)
    return text


NO_TARGETS: str = _in_flight.Migration.operations[0].sql
TARGETS = _changed(
    NO_TARGETS,
    (
        "AND r.frozen_at IS NULL AND r.made_in = pg_current_xact_id()::text)",
        """AND (r.frozen_at IS NULL AND r.made_in = pg_current_xact_id()::text
                   -- What came since, before it is approved (apps/audit/erasure/closing.py).
                   OR r.frozen_at IS NOT NULL AND r.origin = 'request' AND authz.may('glassbox.platform')
                      AND a.type IN ('document', 'event_group', 'scope') AND EXISTS (
                          SELECT FROM public.audit_removaltarget w
                           WHERE w.tenant_id = a.tenant_id AND w.run_id = a.run_id AND w.type IN ('scope', 'tenant')
                             AND w.id NOT IN (SELECT same.id FROM added same))))""",
    ),
)

# What may change of a run stands in it twice: as it is, and as it was.
NO_RUNS = _certificate.RUNS
_MOVING = "verification,end_events}"
_UNPROVEN = "unproven_code,unproven_asked_by,unproven_asked_at,unproven_agreed_by,unproven_agreed_at"
_COLUMNS = _UNPROVEN.replace(",", ", ")
GRANTS = f"GRANT UPDATE ({_COLUMNS}) ON audit_removalrun TO glassbox_api"
NO_GRANTS = f"REVOKE UPDATE ({_COLUMNS}) ON audit_removalrun FROM glassbox_api"
RUNS = _changed(
    NO_RUNS.replace(_MOVING, f"verification,end_events,{_UNPROVEN}}}"),
    (
        "OR NEW.verification <> '{}'::jsonb OR NEW.end_events <> '{}'::uuid[] THEN",
        "OR NEW.verification <> '{}'::jsonb OR NEW.end_events <> '{}'::uuid[]\n"
        "                OR NEW.unproven_code <> '' OR NEW.unproven_agreed_by IS NOT NULL THEN",
    ),
    (
        "IF step = 'failed to approved' AND NOT authz.may('privacy.manage') THEN",
        "IF step = 'failed to approved' AND NOT authz.may('privacy.manage')\n"
        "            AND NEW.unproven_agreed_by IS NOT DISTINCT FROM OLD.unproven_agreed_by THEN",
    ),
    ("AND NEW.prepared_at IS NULL THEN", "AND NEW.prepared_at IS NULL AND NEW.unproven_agreed_by IS NULL THEN"),
    (
        "IF (NEW.verification #>> '{control,proves}') IS DISTINCT FROM 'true'\n"
        "                OR (NEW.verification #>> '{physical,complete}') IS DISTINCT FROM 'true'\n"
        "                OR (NEW.verification #>> '{scan,clean}') IS DISTINCT FROM 'true' THEN",
        "IF NEW.unproven_agreed_by IS NULL AND (\n"
        "                (NEW.verification #>> '{control,proves}') IS DISTINCT FROM 'true'\n"
        "                OR (NEW.verification #>> '{physical,complete}') IS DISTINCT FROM 'true'\n"
        "                OR (NEW.verification #>> '{scan,clean}') IS DISTINCT FROM 'true') THEN",
    ),
    (
        "        IF step = 'partially_completed to approved' THEN",
        """        IF (NEW.unproven_code, NEW.unproven_asked_by, NEW.unproven_asked_at)
            IS DISTINCT FROM (OLD.unproven_code, OLD.unproven_asked_by, OLD.unproven_asked_at) AND (
                OLD.unproven_agreed_by IS NOT NULL OR NEW.proof <> 'physical' OR NEW.state <> OLD.state
                OR NEW.state NOT IN ('approved', 'verifying', 'failed') OR NOT authz.may('privacy.manage')
                OR NOT authz.acts_as(coalesce(NEW.unproven_asked_by, OLD.unproven_asked_by))
            ) THEN
            RAISE EXCEPTION 'a physical proof that is not made yet is given up in one''s own name, by who manages privacy'
                USING ERRCODE = 'check_violation';
        END IF;
        IF (NEW.unproven_agreed_by, NEW.unproven_agreed_at)
            IS DISTINCT FROM (OLD.unproven_agreed_by, OLD.unproven_agreed_at) AND (
                OLD.unproven_agreed_by IS NOT NULL OR OLD.unproven_asked_by IS NULL
                OR NEW.unproven_asked_by IS DISTINCT FROM OLD.unproven_asked_by
                OR OLD.state NOT IN ('approved', 'verifying', 'failed')
                OR NEW.unproven_agreed_by IS NULL OR NEW.unproven_agreed_at IS NULL
                OR NOT authz.acts_as(NEW.unproven_agreed_by) OR authz.acts_as(OLD.unproven_asked_by)
                OR NOT authz.may('privacy.approve')
            ) THEN
            RAISE EXCEPTION 'another person, who may approve, agrees that a physical proof is given up'
                USING ERRCODE = 'check_violation';
        END IF;
        IF step = 'partially_completed to approved' THEN""",
    ),
)
