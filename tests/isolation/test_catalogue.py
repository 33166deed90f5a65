"""What is planted in the catalogue is found in it: each check of apps/tenants/catalogue, with what it is for.

Plants are a superuser's, and rolled back: nobody else ever sees them.
"""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.tenants.catalogue import findings
from apps.tenants.probe import observations
from apps.tenants.provision import closed_doors
from tests.isolation.harness import changed, wall_down
from tests.isolation.world import World

pytestmark = pytest.mark.usefixtures("committed_ground")

_POLICY = "tenant_id = (SELECT authz.tenant())"
_NEW_TABLE = "CREATE TABLE corpus_note (tenant_id uuid NOT NULL, id uuid, PRIMARY KEY (tenant_id, id))"
_GUARD = (
    "ALTER TABLE corpus_note ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
    f"CREATE POLICY isolation ON corpus_note TO glassbox_api USING ({_POLICY}) WITH CHECK ({_POLICY})",
)
_FLOOR = f"CREATE POLICY floor ON corpus_note AS RESTRICTIVE USING ({_POLICY}) WITH CHECK ({_POLICY})"


def _fired(statement: str) -> str:
    """A trigger with this in it, on a table that every role which works on runs writes to."""
    return f"""
        CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
        BEGIN
            {statement};
            RETURN NEW;
        END
        $$;
        CREATE TRIGGER planted BEFORE UPDATE ON audit_removalrun FOR EACH ROW EXECUTE FUNCTION planted();
    """


def found() -> list[str]:
    with connection.cursor() as cursor:
        return [str(each) for each in findings(cursor)]


def test_the_shipped_database_has_no_finding() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("plants", "subject", "problem"),
    [
        ((_NEW_TABLE,), "Table corpus_note", "row-level security is not enabled"),
        ((_NEW_TABLE, *_GUARD), "Table corpus_note", "a policy lacks its restrictive twin"),
        (
            (_NEW_TABLE, *_GUARD, _FLOOR, "CREATE POLICY wide ON corpus_note TO glassbox_api USING (true)"),
            "Table corpus_note",
            "a policy asks nothing of the scope token",
        ),
        ((_NEW_TABLE, *_GUARD, _FLOOR), "Table corpus_note", "has planner statistics of tenant_id, id"),
        (("ALTER TABLE corpus_chunk NO FORCE ROW LEVEL SECURITY",), "Table corpus_chunk", "not forced upon the owner"),
        (("DROP POLICY isolation_floor ON corpus_chunk",), "Table corpus_chunk", "lacks its restrictive twin"),
        (("DROP POLICY isolation_read_floor ON tenants_user",), "Table tenants_user", "lacks its restrictive twin"),
        (
            (
                "CREATE TABLE corpus_note (tenant_id uuid NOT NULL) PARTITION BY LIST (tenant_id)",
                *_GUARD,
                _FLOOR,
                "CREATE TABLE corpus_note_one PARTITION OF corpus_note DEFAULT",
            ),
            "Partition corpus_note_one",
            "is not isolated",
        ),
        (
            ("CREATE VIEW shortcut AS SELECT * FROM corpus_document", "GRANT SELECT ON shortcut TO glassbox_api"),
            "View shortcut",
            "read with its owner's rights",
        ),
        (
            (
                "CREATE MATERIALIZED VIEW shortcut AS SELECT 1 AS one",
                "GRANT SELECT ON shortcut TO glassbox_worker",
            ),
            "Materialised view shortcut",
            "read with its owner's rights",
        ),
        (
            ("ALTER TABLE corpus_document ADD CONSTRAINT slug_once UNIQUE (slug)",),
            "Unique key slug_once of corpus_document",
            "does not contain tenant_id",
        ),
        (
            ("CREATE UNIQUE INDEX slug_once ON corpus_document (lower(slug))",),
            "Unique key slug_once of corpus_document",
            "does not contain tenant_id",
        ),
        (
            (
                "ALTER TABLE corpus_page DROP CONSTRAINT corpus_page_document_id_fk",
                "CREATE UNIQUE INDEX one ON corpus_document (id)",
                "ALTER TABLE corpus_page ADD CONSTRAINT narrow "
                "FOREIGN KEY (document_id) REFERENCES corpus_document (id)",
            ),
            "Foreign key narrow of corpus_page",
            "does not contain tenant_id",
        ),
        (
            ("CREATE INDEX by_name ON tenants_user (username)",),
            "Index by_name of tenants_user",
            "has an order and no tenant_id",
        ),
        (
            ("CREATE UNIQUE INDEX by_name ON tenants_tenant (slug)",),
            "Index by_name of tenants_tenant",
            "has an order and no tenant_id",
        ),
        (
            ("CREATE INDEX by_title ON corpus_document (tenant_id, title)",),
            "Index by_title of corpus_document",
            "does not contain tenant_id and scope_id",
        ),
        (
            ("CREATE INDEX due ON corpus_ingestjob (tenant_id, scope_id, next_attempt_at)",),
            "Index due of corpus_ingestjob",
            "orders next_attempt_at and lacks document_id",
        ),
        (
            ("CREATE INDEX by_end ON tenants_idempotentrequest (tenant_id, expires_at)",),
            "Index by_end of tenants_idempotentrequest",
            "orders expires_at and lacks scope_ids",
        ),
        (
            (
                "CREATE UNIQUE INDEX one ON corpus_document (tenant_id, id)",
                "ALTER TABLE corpus_page ADD CONSTRAINT flat FOREIGN KEY (tenant_id, document_id) "
                "REFERENCES corpus_document (tenant_id, id)",
            ),
            "Foreign key flat of corpus_page",
            "does not contain scope_id",
        ),
        (
            ("ALTER TABLE corpus_document ALTER COLUMN title SET STATISTICS 100",),
            "Table corpus_document",
            "has planner statistics of title",
        ),
        (
            ("ALTER FUNCTION text_lt(text, text) LEAKPROOF",),
            "PostgreSQL",
            "functions that ours need not, such as text_lt",
        ),
        (("DROP POLICY conditions_in_order ON corpus_page",), "Table corpus_page", "would run before its policies"),
        (
            ("ALTER POLICY conditions_in_order ON corpus_page TO glassbox_api",),
            "Table corpus_page",
            "would run before its policies",
        ),
        (("ALTER FUNCTION authz.conditions_in_order() STABLE",), "authz.conditions_in_order", "is not IMMUTABLE"),
        (
            ("ALTER DATABASE {database} RESET cpu_operator_cost",),
            "The database",
            "does not begin its sessions with cpu_operator_cost=0",
        ),
        (
            ("ALTER POLICY hidden_by_restriction ON corpus_chunk RENAME TO later",),
            "Policy later of corpus_chunk",
            "is asked after the one of isolation",
        ),
        (
            ("CREATE FUNCTION peek() RETURNS bigint LANGUAGE sql SECURITY DEFINER RETURN 1",),
            "Function public.peek",
            "runs with its owner's rights and is not listed",
        ),
        (("ALTER FUNCTION authz.tenant() OWNER TO postgres",), "Function authz.tenant", "does not belong to"),
        (("ALTER FUNCTION authz.scopes() RESET search_path",), "Function authz.scopes", "no pinned search_path"),
        (("GRANT EXECUTE ON FUNCTION authz.verified(text, text) TO PUBLIC",), "authz.verified", "by everybody"),
        (
            ("REVOKE SELECT (expires_at) ON audit_accesspackage FROM glassbox_eraser",),
            "Role glassbox_eraser",
            "may not SELECT audit_accesspackage (expires_at), which trigger audit_access_step of audit_erasurerequest",
        ),
        (
            (_fired("PERFORM FROM corpus_page p, corpus_chunk c WHERE p.id = c.id AND c.text <> ''"),),
            "Role glassbox_eraser",
            "may not SELECT corpus_chunk (text), which trigger planted of audit_removalrun",
        ),
        (
            (
                _fired(
                    "IF false THEN UPDATE public.intents_policyversion AS v SET reason = '' WHERE v.id = NEW.id; END IF"
                ),
            ),
            "Role glassbox_eraser",
            "may not UPDATE intents_policyversion (reason), which trigger planted",
        ),
        (
            (_fired("INSERT INTO public.audit_leaf (tenant_id, index) VALUES (NEW.tenant_id, 0)"),),
            "Role glassbox_api",
            "may not INSERT audit_leaf (index, tenant_id), which trigger planted",
        ),
        (
            (_fired("DELETE FROM audit_unsealed WHERE event_id = NEW.id"),),
            "Role glassbox_eraser",
            "may not DELETE audit_unsealed, which trigger planted",
        ),
        (
            (
                "CREATE FUNCTION titled() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(d.title) FROM "
                "public.corpus_document d; END",
                _fired("PERFORM titled()"),
            ),
            "Role glassbox_eraser",
            "may not SELECT corpus_document (title), which trigger planted of audit_removalrun (by titled)",
        ),
        (
            (
                "CREATE FUNCTION one() RETURNS bigint LANGUAGE sql RETURN 1",
                "REVOKE ALL ON FUNCTION one() FROM PUBLIC",
                _fired("PERFORM public.one()"),
            ),
            "Role glassbox_eraser",
            "may not call one, which trigger planted of audit_removalrun",
        ),
        ((_fired("EXECUTE 'SELECT 1'"),), "Function planted", "puts its statements together"),
        (
            (
                "GRANT SELECT ON authz.signing_key TO glassbox_eraser",
                "ALTER TABLE authz.signing_key ENABLE ROW LEVEL SECURITY",
                _fired("PERFORM kid FROM authz.signing_key"),
            ),
            "Role glassbox_eraser",
            "is shown no row of signing_key for SELECT, which trigger planted",
        ),
        (
            (
                "CREATE POLICY planted ON audit_removalstep AS RESTRICTIVE FOR UPDATE TO glassbox_eraser USING "
                "(EXISTS (SELECT FROM corpus_document d WHERE d.title = store))",
            ),
            "Role glassbox_eraser",
            "may not SELECT corpus_document (title), which policy planted of audit_removalstep",
        ),
        (
            (
                "CREATE FUNCTION titles() RETURNS boolean LANGUAGE sql AS $$ SELECT title <> '' FROM "
                "corpus_document LIMIT 1 $$",
                "ALTER TABLE audit_removalstep ADD CONSTRAINT planted CHECK (titles())",
            ),
            "Role glassbox_eraser",
            "may not SELECT corpus_document (title), which titles of audit_removalstep",
        ),
        (("GRANT TEMP ON DATABASE {database} TO glassbox_api",), "Role glassbox_api", "may make temporary tables"),
        (("GRANT CREATE ON SCHEMA public TO glassbox_worker",), "Role glassbox_worker", "may create in a schema"),
        (("GRANT SELECT ON authz.signing_key TO glassbox_api",), "Role glassbox_api", "may touch the signing keys"),
        (("GRANT TRUNCATE ON corpus_chunk TO glassbox_api",), "Role glassbox_api", "holds TRUNCATE on corpus_chunk"),
        (("GRANT UPDATE ON audit_event TO glassbox_worker",), "Role glassbox_worker", "holds UPDATE on audit_event"),
        (("GRANT INSERT ON audit_event TO glassbox_api",), "Role glassbox_api", "holds INSERT on audit_event"),
        (
            ("GRANT INSERT ON audit_payload TO glassbox_worker",),
            "Role glassbox_worker",
            "holds INSERT on audit_payload",
        ),
        (("GRANT INSERT ON audit_unsealed TO glassbox_eraser",), "Role glassbox_eraser", "INSERT on audit_unsealed"),
        (
            ("GRANT UPDATE ON audit_verification TO glassbox_api",),
            "Role glassbox_api",
            "holds UPDATE on audit_verification",
        ),
        (
            ("GRANT DELETE ON audit_verification TO glassbox_worker",),
            "Role glassbox_worker",
            "holds DELETE on audit_verification",
        ),
        (("GRANT INSERT ON audit_leaf TO glassbox_api",), "Role glassbox_api", "holds INSERT on audit_leaf"),
        (("GRANT DELETE ON audit_leaf TO glassbox_worker",), "Role glassbox_worker", "holds DELETE on audit_leaf"),
        (("GRANT DELETE ON audit_unsealed TO glassbox_api",), "Role glassbox_api", "holds DELETE on audit_unsealed"),
        (
            ("GRANT INSERT ON corpus_chunk TO glassbox_auditor",),
            "Role glassbox_auditor",
            "holds INSERT on corpus_chunk",
        ),
        (
            ("CREATE TABLE platform_note (id int)", "GRANT SELECT ON platform_note TO glassbox_api"),
            "Role glassbox_api",
            "holds SELECT on platform_note",
        ),
        (
            ("GRANT EXECUTE ON FUNCTION pg_lock_status() TO PUBLIC",),
            "PostgreSQL",
            "lets the runtime roles call pg_lock_status()",
        ),
        (
            ("GRANT SELECT ON tenants_credential TO glassbox_api",),
            "Role glassbox_api",
            "may read tenants_credential.password, which is a secret",
        ),
        (
            ("GRANT SELECT (content) ON tenants_session TO glassbox_auditor",),
            "Role glassbox_auditor",
            "may read tenants_session.content, which is a secret",
        ),
        (
            ("GRANT SELECT (title) ON corpus_document TO glassbox_surveyor",),
            "Role glassbox_surveyor",
            "may SELECT corpus_document.title, and no policy binds it",
        ),
        (
            ("GRANT DELETE ON corpus_document TO glassbox_surveyor",),
            "Role glassbox_surveyor",
            "may DELETE corpus_document, and no policy binds it",
        ),
        (
            ("ALTER FUNCTION held_documents() OWNER TO glassbox_surveyor",),
            "Role glassbox_surveyor",
            "owns the function held_documents, and no policy binds it",
        ),
        (
            ("GRANT glassbox_surveyor TO glassbox_api",),
            "Role glassbox_surveyor",
            "has the member glassbox_api, and no policy binds it",
        ),
        (("ALTER ROLE glassbox_api SET statement_timeout = 0",), "Role glassbox_api", "lacks a limit of time"),
        (("ALTER ROLE glassbox_api SET work_mem = '1GB'",), "Role glassbox_api", "has settings of its own"),
        (("ALTER ROLE glassbox_worker RESET temp_file_limit",), "Role glassbox_worker", "lacks temp_file_limit=32GB"),
        (("GRANT EXECUTE ON FUNCTION age(xid) TO PUBLIC",), "PostgreSQL", "lets the runtime roles call age(xid)"),
        (
            ("GRANT SET ON PARAMETER backtrace_functions TO glassbox_api",),
            "Role glassbox_api",
            "may set backtrace_functions",
        ),
        (
            ("REVOKE SET ON PARAMETER backtrace_functions FROM glassbox_authz",),
            "PostgreSQL",
            "tells transactions apart by time alone",
        ),
    ],
)
def test_a_planted_fault_is_found_and_named(plants: tuple[str, ...], subject: str, problem: str) -> None:
    database = connection.settings_dict["NAME"]
    with changed(*(plant.replace("{database}", database) for plant in plants)):
        messages = found()
    assert [each for each in messages if subject in each and problem in each], messages


def test_the_message_says_what_to_add() -> None:
    with changed(_NEW_TABLE), connection.cursor() as cursor:
        remedies = [each.remedy for each in findings(cursor) if each.subject == "Table corpus_note"]
    assert "EnableIsolation(<model>)" in remedies[0]


def test_the_probe_holds_on_a_database_with_tenants(world: World) -> None:
    seen = observations()
    assert [each for each in seen if not each.holds] == []
    assert {f"the tenant {slug} sees no row of another tenant" for slug in ("acme", "bolt")} <= {e.claim for e in seen}


def test_the_probe_finds_a_wall_that_is_down(world: World) -> None:
    with wall_down():
        failed = {each.claim for each in observations() if not each.holds}
    assert "another tenant does not see that it exists" in failed
    assert "the tenant acme sees no row of another tenant" in failed
    assert "a token that is forged opens nothing" in failed


def test_the_probe_finds_a_single_open_table(world: World) -> None:
    with wall_down(["corpus_posting"]):
        failed = [each for each in observations() if not each.holds]
    # A superuser's session, which lowers the wall for a test, may become any role.
    seen = {each.seen for each in failed} - {"it was let through"}
    assert seen == {"rows without a scope", "corpus_posting"}


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_claim_and_leaves_nothing_behind(world: World) -> None:
    out = StringIO()
    call_command("isolation", "check", stdout=out)
    lines = out.getvalue().splitlines()
    assert all(line.startswith("ok") for line in lines[:-1])
    assert "The isolation holds" in lines[-1]
    assert not [each for each in observations() if "canary-" in each.claim]


def test_the_command_fails_where_the_wall_does_not_hold(world: World) -> None:
    out = StringIO()
    with wall_down(["corpus_chunk"]), pytest.raises(CommandError, match="The isolation does not hold"):
        call_command("isolation", "check", "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert not report["holds"]
    assert [line["claim"] for line in report["lines"] if not line["holds"]]


def test_lowering_the_wall_for_a_test_is_undone(world: World) -> None:
    with wall_down():
        pass
    assert found() == []


def test_an_administrator_who_may_not_shut_the_side_doors_is_told_and_not_stopped() -> None:
    """As on a managed server: what stays open is named, as a warning, and nothing else of the wall is missing."""
    closing = closed_doors().as_string()
    with (
        changed(
            "CREATE ROLE managed_administrator",
            "GRANT EXECUTE ON FUNCTION pg_lock_status() TO PUBLIC",
            "ALTER FUNCTION text_lt(text, text) LEAKPROOF",
            "SET LOCAL ROLE managed_administrator",
            closing,
            "RESET ROLE",
        ),
        connection.cursor() as cursor,
    ):
        left = findings(cursor)
    assert len(left) == 2
    assert all(each.is_warning for each in left)
