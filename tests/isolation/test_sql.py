"""The wall against SQL: whatever a statement says, as the role that serves requests, inside a scope of Acme's.

The scope is that of ann, who holds fund:alpha alone, unless a test says otherwise.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from apps.tenants.context import open_scope, signing_key
from apps.tenants.ids import TenantId
from apps.tenants.tokens import TOKEN_LIFE_SECONDS, Bearer, scope_token
from tests.isolation.harness import KEPT_BY_TWO, changed, held, outcome, sql, wall_down
from tests.isolation.world import World, canary
from tests.visitor import Visitor

BETA = canary("acme", "fund:beta")
BOLT = canary("bolt", "firm")


def as_ann(world: World, *statements: str, parameters: tuple[Any, ...] = ()) -> Callable[[], Any]:
    """The statements, one after another in ann's scope; the parameters are the last one's."""

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            for statement in statements[:-1]:
                sql(statement)
            return sql(statements[-1], *parameters)

    return attack


# --- Reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT title FROM corpus_document",
        "SELECT title FROM corpus_document WHERE true OR tenant_id IS NOT NULL",
        "SELECT title FROM ONLY corpus_document",
        "TABLE corpus_document",
        "SELECT text FROM corpus_chunk TABLESAMPLE SYSTEM (100)",
        "SELECT text FROM corpus_page ORDER BY ctid",
        "SELECT string_agg(term, ' ') FROM corpus_posting",
        "SELECT encode(content, 'escape') FROM corpus_sourcefile",
        "SELECT context_header FROM corpus_chunk c "
        "WHERE EXISTS (SELECT FROM corpus_document d WHERE d.id = c.document_id)",
        "WITH RECURSIVE walk AS (SELECT id, title FROM corpus_document "
        "UNION SELECT d.id, d.title FROM corpus_document d JOIN walk ON true) SELECT title FROM walk",
        "SELECT d.title FROM tenants_scope s CROSS JOIN LATERAL (SELECT title FROM corpus_document) d",
        "SELECT row_to_json(d)::text FROM corpus_document d",
        "SELECT word FROM ts_stat('SELECT to_tsvector(''simple'', text) FROM corpus_chunk')",
        "SELECT filename FROM corpus_document WHERE kind = 'run' FOR SHARE",
    ],
)
def test_no_way_of_reading_shows_another_scope_or_tenant(world: World, statement: str) -> None:
    brought = held(as_ann(world, statement), loot=BETA)
    assert canary("acme", "fund:alpha") in brought
    assert BOLT not in brought


@pytest.mark.parametrize(
    "injected",
    [
        "nothing' UNION SELECT title FROM corpus_document --",
        "nothing' OR '1'='1",
        "nothing'; SELECT title FROM corpus_document; --",
        "nothing'; SET LOCAL glassbox.scope = ''; SELECT title FROM corpus_document; --",
        "nothing'; RESET ROLE; SELECT title FROM corpus_document; --",
        "nothing' UNION SELECT username || last_name FROM tenants_user --",
    ],
)
def test_what_is_injected_into_a_statement_runs_behind_the_same_wall(world: World, injected: str) -> None:
    loot = "ben" if "tenants_user" in injected else BOLT
    held(as_ann(world, f"SELECT title FROM corpus_document WHERE slug = '{injected}'"), loot=loot)


def test_a_second_statement_does_not_follow_bound_parameters(world: World) -> None:
    statement = "SELECT title FROM corpus_document WHERE slug = %s; SELECT title FROM corpus_document"
    brought = outcome(as_ann(world, statement, parameters=("nothing",)))
    assert "cannot insert multiple commands" in brought
    # The same two statements do run where nothing is bound, which is what binding on the server's side is for.
    assert canary("acme", "fund:alpha") in outcome(as_ann(world, statement.replace("%s", "'nothing'")))


def test_without_a_scope_a_query_raises_and_shows_nothing(world: World) -> None:
    brought = held(lambda: sql("SELECT title FROM corpus_document"), loot=BOLT)
    assert "no scope is open" in brought


def test_a_variable_that_looks_like_a_scope_opens_nothing(world: World) -> None:
    def attack() -> Any:
        sql(
            "SELECT set_config('glassbox.tenant', %s, true), set_config('app.tenant_id', %s, true)",
            *[str(world.bolt.id)] * 2,
        )
        return sql("SELECT title FROM corpus_document")

    held(attack, loot=BOLT)


def test_a_function_of_the_attacker_s_in_the_condition_sees_visible_rows_alone(world: World) -> None:
    """Conditions that raise with a value in their message run after the policy, not before it."""
    statement = "SELECT count(*) FROM corpus_document WHERE title LIKE '%acmebeta%' AND title::int = 1"
    held(as_ann(world, statement), loot=BETA)


def test_a_block_that_swallows_errors_gathers_nothing(world: World) -> None:
    block = """
        DO $$
        DECLARE found text := ''; row record;
        BEGIN
            FOR row IN SELECT title FROM corpus_document LOOP
                BEGIN found := found || row.title; EXCEPTION WHEN OTHERS THEN NULL; END;
            END LOOP;
            PERFORM set_config('loot.found', found, true);
        END $$
    """
    held(as_ann(world, block, "SELECT current_setting('loot.found')"), loot=BETA)


# --- What stands before or beside a table: planted by a superuser, since the schema has neither ---


_COPY = "SELECT tenant_id, scope_id, title FROM corpus_document"
_POLICY = "tenant_id = (SELECT authz.tenant()) AND scope_id = ANY ((SELECT authz.scopes())::uuid[])"


def _copied(*guarded: str) -> tuple[str, ...]:
    """A partitioned copy of the documents' titles; the named ones of the table and its partition have the policy."""
    return (
        "CREATE TABLE planted (tenant_id uuid, scope_id uuid, title text) PARTITION BY LIST (tenant_id)",
        "CREATE TABLE planted_part PARTITION OF planted DEFAULT",
        f"INSERT INTO planted {_COPY}",
        "GRANT SELECT ON planted, planted_part TO glassbox_api",
        *(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY" for table in guarded),
        *(f"CREATE POLICY isolation ON {table} TO glassbox_api USING ({_POLICY})" for table in guarded),
    )


def test_a_partition_is_read_directly_behind_its_own_policy_and_not_its_table_s(world: World) -> None:
    """Why the catalogue's check asks every partition, too."""
    attack = as_ann(world, "SELECT title FROM planted_part")
    with changed(*_copied("planted")):
        assert BETA in outcome(attack)
    with changed(*_copied("planted", "planted_part")):
        brought = outcome(attack)
    assert BETA not in brought
    assert canary("acme", "fund:alpha") in brought


def test_a_view_shows_hidden_rows_unless_it_asks_as_its_reader(world: World) -> None:
    """Why the catalogue's check asks every view for security_invoker."""
    attack = as_ann(world, "SELECT title FROM planted")
    grant = "GRANT SELECT ON planted TO glassbox_api"
    with changed(f"CREATE VIEW planted AS {_COPY}", grant):
        assert BETA in outcome(attack)
    with changed(f"CREATE VIEW planted WITH (security_invoker = true) AS {_COPY}", grant):
        brought = outcome(attack)
    assert BETA not in brought
    assert canary("acme", "fund:alpha") in brought


# --- Writing ----------------------------------------------------------------------------------------------------------


def _beta(world: World) -> str:
    return str(world.document("acme", "fund:beta"))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE corpus_document SET title = title || ' seen' WHERE id = '{beta}' RETURNING title",
        "DELETE FROM corpus_posting WHERE document_id = '{beta}' RETURNING term || '{word}'",
        "WITH gone AS (UPDATE corpus_chunk SET text = text WHERE document_id = '{beta}' RETURNING text) "
        "SELECT * FROM gone",
        "MERGE INTO corpus_document d USING (SELECT '{beta}'::uuid AS id) s ON d.id = s.id "
        "WHEN MATCHED THEN UPDATE SET title = d.title RETURNING d.title",
        "SELECT title FROM corpus_document WHERE id = '{beta}' FOR UPDATE",
    ],
)
def test_a_hidden_row_is_neither_changed_nor_removed_nor_locked(world: World, statement: str) -> None:
    held(as_ann(world, statement.format(beta=_beta(world), word=BETA)), loot=BETA, alone=(KEPT_BY_TWO,))


@pytest.mark.parametrize("target", ["another scope", "another tenant"])
def test_a_row_is_not_moved_out_of_the_granted_scopes(world: World, target: str) -> None:
    column, value = (
        ("scope_id", world.scope_id("acme", "fund:beta")) if target == "another scope" else ("tenant_id", world.bolt.id)
    )
    attack = as_ann(world, f"UPDATE corpus_ingestjob SET {column} = '{value}' RETURNING 'moved'")
    brought = held(attack, loot="moved", without=_without_constraints, alone=(KEPT_BY_TWO,))
    assert "row-level security" in brought


@contextmanager
def _without_constraints() -> Iterator[None]:
    """The wall down, and foreign keys checked at the end of a transaction that never ends."""
    with wall_down(also=(KEPT_BY_TWO,)):
        sql("SET CONSTRAINTS ALL DEFERRED")
        yield


@pytest.mark.parametrize("slug", ["acme", "bolt"])
def test_no_row_is_put_into_another_scope(world: World, slug: str) -> None:
    values = f"'{world.firm(slug).id}', '{world.scope_id(slug, 'fund:beta')}', '{world.document(slug, 'fund:beta')}'"
    attack = as_ann(
        world,
        "INSERT INTO corpus_page (tenant_id, scope_id, document_id, number, text, extracted) "
        f"VALUES ({values}, 99, 'planted', true) RETURNING text",
    )
    assert "row-level security" in held(attack, loot="planted", alone=(KEPT_BY_TWO,))


def test_a_conflict_does_not_open_the_row_that_it_meets(world: World) -> None:
    """INSERT ... ON CONFLICT DO UPDATE of a hidden row: the key of a scoped table is within its scope."""

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return sql(
                "INSERT INTO corpus_document SELECT d.* FROM corpus_document d WHERE d.id = %s "
                "ON CONFLICT (tenant_id, scope_id, id) DO UPDATE SET title = corpus_document.title "
                "RETURNING corpus_document.title",
                world.document("acme", "fund:beta"),
            )

    held(attack, loot=BETA, alone=(KEPT_BY_TWO,))


def test_a_row_of_ones_own_does_not_hang_on_a_hidden_parent(world: World) -> None:
    """Foreign keys look past policies: this one is shut by the scope in the key."""
    attack = as_ann(
        world,
        "INSERT INTO corpus_page (tenant_id, scope_id, document_id, number, text, extracted) VALUES "
        f"('{world.acme.id}', '{world.scope_id('acme', 'fund:alpha')}', '{_beta(world)}', 99, 'hung', true)",
        "SET CONSTRAINTS ALL IMMEDIATE",
        "SELECT text FROM corpus_page WHERE number = 99",
    )
    flat = (
        "ALTER TABLE corpus_page DROP CONSTRAINT corpus_page_document_id_fk",
        "CREATE UNIQUE INDEX one ON corpus_document (tenant_id, id)",
        "ALTER TABLE corpus_page ADD CONSTRAINT flat FOREIGN KEY (tenant_id, document_id) "
        "REFERENCES corpus_document (tenant_id, id)",
    )
    held(attack, loot="hung", without=lambda: changed(KEPT_BY_TWO, *flat), alone=(KEPT_BY_TWO,))


@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE corpus_posting",
        "DROP TABLE corpus_posting",
        "ALTER TABLE corpus_posting DISABLE ROW LEVEL SECURITY",
        "DROP POLICY isolation ON corpus_posting",
        "CREATE POLICY wide ON corpus_posting USING (true)",
        "REINDEX TABLE corpus_posting",
    ],
)
def test_the_table_itself_is_not_touched(world: World, statement: str) -> None:
    attack = as_ann(world, statement, "SELECT 'touched'")
    assert "touched" not in held(
        attack, loot="touched", without=lambda: changed("ALTER TABLE corpus_posting OWNER TO glassbox_api")
    )


# --- Rights and roles -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step",
    [
        "SET LOCAL ROLE glassbox_backup",
        "SET LOCAL ROLE postgres",
        "SET LOCAL SESSION AUTHORIZATION glassbox_backup",
    ],
)
def test_the_role_becomes_no_other(world: World, step: str) -> None:
    """Its control is a superuser's session in the role's clothes, which may take them off."""
    brought = held(as_ann(world, step, "SELECT title FROM corpus_document"), loot=BOLT, without=changed)
    assert "permission denied" in brought


def test_row_security_off_is_an_error(world: World) -> None:
    brought = held(as_ann(world, "SET LOCAL row_security = off", "SELECT title FROM corpus_document"), loot=BETA)
    assert "affected by row-level security" in brought


_TEMP = "GRANT TEMP ON DATABASE {database} TO glassbox_api"
_SCHEMA = "GRANT CREATE ON SCHEMA public TO glassbox_api"
_CALL = "GRANT EXECUTE ON FUNCTION {} TO glassbox_api"


@pytest.mark.parametrize(
    ("statement", "right"),
    [
        ("CREATE TEMP TABLE corpus_document (title text)", _TEMP),
        ("CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql RETURN $1", _TEMP),
        ("CREATE SCHEMA shadow", "GRANT CREATE ON DATABASE {database} TO glassbox_api"),
        ("CREATE TABLE public.shadow (id int)", _SCHEMA),
        ("CREATE FUNCTION public.shadow() RETURNS int LANGUAGE sql RETURN 1", _SCHEMA),
        ("CREATE VIEW public.shadow AS SELECT 1 AS one", _SCHEMA),
        ("SELECT lo_from_bytea(0, 'loot')", _CALL.format("lo_from_bytea(oid, bytea)")),
        ("SELECT pg_notify('loot', 'word')", _CALL.format("pg_notify(text, text)")),
        ("SELECT pg_terminate_backend(0)", _CALL.format("pg_terminate_backend(int, bigint)")),
        ("SELECT count(*) FROM pg_locks", _CALL.format("pg_lock_status()")),
        ("SELECT pg_relation_size('corpus_chunk', 'main')", _CALL.format("pg_relation_size(regclass, text)")),
        ("SELECT kid FROM authz.signing_key", "GRANT SELECT ON authz.signing_key TO glassbox_api"),
        ("SELECT authz.verified('glassbox.scope', 's')", _CALL.format("authz.verified(text, text)")),
        ("SELECT count(*) FROM tenants_user_groups", "GRANT SELECT ON tenants_user_groups TO glassbox_api"),
        ("UPDATE audit_event SET action = 'nothing'", "GRANT UPDATE ON audit_event TO glassbox_api"),
        ("DELETE FROM audit_event", "GRANT DELETE ON audit_event TO glassbox_api"),
    ],
)
def test_a_right_that_is_not_needed_is_not_held(world: World, statement: str, right: str) -> None:
    attack = as_ann(world, statement, "SELECT 'it was let through'")
    right = right.replace("{database}", connection.settings_dict["NAME"])

    @contextmanager
    def allowed() -> Iterator[None]:
        # The trigger of the log lets nobody through, whatever the rights, and payloads hold on to their events: these
        # are defences of their own.
        with changed(
            right,
            "ALTER TABLE audit_event DISABLE TRIGGER USER",
            "ALTER TABLE audit_payload DROP CONSTRAINT audit_payload_event_fk",
        ):
            yield

    brought = held(attack, loot="it was let through", without=allowed)
    assert "permission denied" in brought


def test_activity_of_other_sessions_is_not_shown(world: World) -> None:
    """What another session of the same role is doing, such as a question with a name in it."""
    brought = held(
        as_ann(world, "SELECT count(*) || ' sessions' FROM pg_stat_activity"),
        loot=" sessions",
        without=lambda: changed("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pg_catalog TO glassbox_api"),
    )
    assert "permission denied" in brought


# --- Giving oneself more ----------------------------------------------------------------------------------------------


def _every_right() -> Any:
    return changed(
        *(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY, DISABLE TRIGGER USER" for table in _DIRECTORY),
        f"GRANT ALL ON {', '.join(_DIRECTORY)} TO glassbox_api",
        # It keeps a grant from being revived by itself.
        "ALTER TABLE tenants_grant DISABLE TRIGGER aa_stamp",
    )


_DIRECTORY = (
    "tenants_grant",
    "tenants_membership",
    "tenants_apikey",
    "tenants_scope",
    "tenants_tenant",
    "tenants_user",
)


@pytest.mark.parametrize(
    "statement",
    [
        # ann, who may not manage members, takes a scope, a role, a key.
        "INSERT INTO tenants_grant (tenant_id, scope_id, membership_id, valid_from) "
        "SELECT tenant_id, '{beta}', id, now() FROM tenants_membership WHERE user_id = '{ann}' RETURNING 'taken'",
        "INSERT INTO tenants_membership (tenant_id, user_id, role, created_at) "
        "VALUES ('{acme}', '{ann}', 'tenant_admin', now()) RETURNING 'taken'",
        "UPDATE tenants_membership SET role = 'tenant_admin' WHERE user_id = '{ann}' RETURNING 'taken'",
        "UPDATE tenants_membership SET user_id = '{ann}' WHERE role = 'tenant_admin' RETURNING 'taken'",
        "INSERT INTO tenants_apikey (tenant_id, name, prefix, secret_sha256, role, created_at) "
        "VALUES ('{acme}', 'mine', 'aaaaaaaaaaaa', 'b', 'tenant_admin', now()) RETURNING 'taken'",
        "UPDATE tenants_apikey SET secret_sha256 = 'known' RETURNING 'taken'",
        "UPDATE tenants_grant SET scope_id = '{beta}' WHERE scope_id = '{alpha}' RETURNING 'taken'",
        "UPDATE tenants_grant SET valid_to = NULL RETURNING 'taken'",
        "DELETE FROM tenants_grant RETURNING 'taken'",
        "UPDATE tenants_scope SET parent_id = '{alpha}' WHERE id <> '{alpha}' RETURNING 'taken'",
        "INSERT INTO tenants_scope (tenant_id, key, name, parent_id, created_at) "
        "VALUES ('{acme}', 'fund:mine', 'Mine', '{alpha}', now()) RETURNING 'taken'",
        "UPDATE tenants_tenant SET residency_strict = false RETURNING 'taken'",
        "UPDATE tenants_user SET is_superuser = true WHERE id = '{ann}' RETURNING 'taken'",
        "UPDATE tenants_user SET password = 'kept:known' RETURNING 'taken'",
        "INSERT INTO tenants_user (username, password, is_superuser, is_staff, is_active, first_name, last_name, "
        "email, date_joined) VALUES ('mallory', '', true, true, true, '', '', '', now()) RETURNING 'taken'",
    ],
)
def test_nobody_gives_themselves_more_than_they_have(world: World, statement: str) -> None:
    filled = statement.format(
        acme=world.acme.id,
        ann=world.people["ann"].id,
        alpha=world.scope_id("acme", "fund:alpha"),
        beta=world.scope_id("acme", "fund:beta"),
    )
    attack = as_ann(world, "SET CONSTRAINTS ALL DEFERRED", filled)
    assert "taken" not in held(attack, loot="taken", without=_every_right)


def test_who_manages_members_gives_no_scope_that_they_do_not_hold(world: World) -> None:
    def attack() -> Any:
        alpha = world.scope_id("acme", "fund:alpha")
        with open_scope(tenant=world.acme.id, principal=world.people["amy"], scopes=[alpha]):
            return sql(
                "INSERT INTO tenants_grant (tenant_id, scope_id, membership_id, valid_from) "
                "SELECT tenant_id, %s, id, now() FROM tenants_membership WHERE user_id = %s RETURNING 'given'",
                world.scope_id("acme", "fund:beta"),
                world.people["ann"].id,
            )

    assert "row-level security" in held(attack, loot="given")


def test_a_grant_that_has_ended_is_not_revived(world: World) -> None:
    """Ended as amy, who may; revived by nobody: the past is what an auditor is answered from."""

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            sql("UPDATE tenants_grant SET valid_to = now() WHERE valid_to IS NULL")
            return sql("UPDATE tenants_grant SET valid_to = NULL RETURNING 'revived'")

    held(attack, loot="revived", without=_every_right)


# --- Accounts and sessions --------------------------------------------------------------------------------------------


def test_accounts_of_another_tenant_and_of_none_are_not_shown(world: World) -> None:
    attack = as_ann(world, "SELECT username, email, password FROM tenants_user")
    # Which columns a member reads of a colleague: test_personal_columns.py.
    brought = held(attack, loot="ben@example.com", alone=("GRANT SELECT ON tenants_user TO glassbox_api",))
    assert "amy@example.com" in brought
    assert "olga@example.com" not in brought


def test_sessions_are_not_shown_and_their_keys_are_not_there(world: World) -> None:
    def attack() -> Any:
        key = Visitor("ben").session.session_key
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            rows = sql("SELECT key_sha256, content FROM tenants_session")
        assert key not in str(rows)
        return "a session" if rows else "none"

    held(attack, loot="a session")


def test_another_s_session_is_not_ended(world: World) -> None:
    def attack() -> Any:
        Visitor("ben")
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return sql("DELETE FROM tenants_session RETURNING 'ended'")

    held(attack, loot="ended")


# --- Tokens -----------------------------------------------------------------------------------------------------------


@contextmanager
def _unverified_tokens() -> Iterator[None]:
    """A database that believes every token: its functions read the claim and check nothing."""
    believe = """
        CREATE OR REPLACE FUNCTION authz.verified(setting text, purpose text) RETURNS text[]
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
        RETURN (string_to_array(nullif(current_setting(setting, true), ''), '|'))[6:8]
    """
    with changed(believe):
        yield


def _tokens(world: World) -> dict[str, Callable[[str], str]]:
    """What is made of ann's good token to reach Bolt; each takes the token and returns another."""
    bolt, firm = str(world.bolt.id), str(world.scope_id("bolt", "firm"))

    def claiming(token: str) -> list[str]:
        part = token.split("|")
        part[5], part[6] = bolt, firm
        return part

    return {
        "another tenant": lambda token: "|".join(claiming(token)),
        "another key id": lambda token: "|".join([*claiming(token)[:1], "k0", *claiming(token)[2:]]),
        "an empty mac": lambda token: "|".join([*claiming(token)[:8], ""]),
        "a mac of zeros": lambda token: "|".join([*claiming(token)[:8], "0" * 64]),
        "an unkeyed hash": lambda token: "|".join([*claiming(token)[:8], _sha256("|".join(claiming(token)[:8]))]),
        "a far expiry": lambda token: "|".join([*claiming(token)[:4], "99999999999", *claiming(token)[5:]]),
        "an identity's purpose": lambda token: "|".join(["i", *claiming(token)[1:]]),
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "kind",
    [
        "another tenant",
        "another key id",
        "an empty mac",
        "a mac of zeros",
        "an unkeyed hash",
        "a far expiry",
        "an identity's purpose",
    ],
)
def test_a_token_that_we_did_not_sign_opens_nothing(world: World, kind: str) -> None:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            token = sql("SELECT current_setting('glassbox.scope')")[0][0]
            sql("SELECT set_config('glassbox.scope', %s, true)", _tokens(world)[kind](token))
            return sql("SELECT title FROM corpus_document")

    brought = held(attack, loot=BOLT, without=_unverified_tokens)
    assert "no scope is open" in brought


@pytest.mark.parametrize("part", [5, 6, 7])
def test_a_single_changed_field_breaks_the_seal(world: World, part: int) -> None:
    """The tenant, the scopes, and the permissions, which would let an analyst manage members."""

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            token = sql("SELECT current_setting('glassbox.scope')")[0][0].split("|")
            token[part] = {5: str(world.bolt.id), 6: str(world.scope_id("acme", "fund:beta")), 7: "*"}[part]
            sql("SELECT set_config('glassbox.scope', %s, true)", "|".join(token))
            if part == 7:
                return sql("SELECT CASE WHEN authz.may('member.manage') THEN 'loot' END")
            if part == 5:
                return sql("SELECT 'loot', username FROM tenants_user WHERE username = 'ben'")
            return sql("SELECT 'loot' FROM corpus_document")

    assert "forged" in held(attack, loot="loot", without=_unverified_tokens)


def test_a_token_is_not_replayed_in_the_next_transaction(world: World) -> None:
    """Read out of one transaction, and set in another one of the same connection, as a pool lends it again."""

    def attack() -> Any:
        with transaction.atomic():
            return _replay()

    stolen: list[str] = []

    def _replay() -> Any:
        sql("SELECT set_config('glassbox.scope', %s, true)", stolen[0])
        return sql("SELECT title FROM corpus_document")

    with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
        stolen.append(sql("SELECT current_setting('glassbox.scope')")[0][0])
    brought = held(attack, loot=canary("acme", "fund:alpha"), without=_unverified_tokens)
    assert "no scope is open" in brought


@pytest.mark.parametrize(
    ("kind", "refusal"),
    [("expired", "has expired"), ("of another connection", "another connection")],
)
def test_a_token_that_we_signed_for_another_time_or_place_opens_nothing(world: World, kind: str, refusal: str) -> None:
    def attack() -> Any:
        with transaction.atomic():
            backend_pid, mark = sql("SELECT pg_backend_pid(), authz.transaction_mark()")[0]
            here = Bearer(backend_pid=backend_pid, transaction=mark)
            there = replace(here, backend_pid=backend_pid + 1)
            token = scope_token(
                key=signing_key(),
                bearer=there if kind == "of another connection" else here,
                tenant=world.bolt.id,
                scopes=[world.scope_id("bolt", "firm")],
                now=time.time() - TOKEN_LIFE_SECONDS - 2 if kind == "expired" else None,
            )
            sql("SELECT set_config('glassbox.scope', %s, true)", token)
            return sql("SELECT title FROM corpus_document")

    assert refusal in held(attack, loot=BOLT, without=_unverified_tokens)


def test_the_scope_of_a_savepoint_does_not_outlive_it(world: World) -> None:
    """An inner, wider scope that fails gives the narrow one back, not the wide one."""

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            try:
                with open_scope(tenant=world.bolt.id, reason="a test"):
                    sql("SELECT 1 / 0")
            except DatabaseError:
                pass
            return sql("SELECT title FROM corpus_document")

    brought = held(attack, loot=BOLT)
    assert canary("acme", "fund:alpha") in brought


def test_guessed_ids_of_scopes_open_nothing(world: World) -> None:
    """Naming a scope of another tenant in a token of one's own tenant: both must agree."""

    def attack() -> Any:
        scopes = [world.scope_id("bolt", "firm"), world.scope_id("acme", "fund:beta")]
        with open_scope(tenant=world.acme.id, scopes=scopes[:1], reason="a test"):
            return sql("SELECT title FROM corpus_document")

    held(attack, loot=BOLT)


def test_a_scope_that_is_not_the_principal_s_is_not_opened(world: World) -> None:
    def attack() -> Any:
        with open_scope(
            tenant=world.acme.id, principal=world.people["ann"], scopes=[world.scope_id("acme", "fund:beta")]
        ):
            return sql("SELECT title FROM corpus_document")

    @contextmanager
    def granted() -> Iterator[None]:
        """The application's own check, taken away by a principal that claims the scope: the wall is not asked here."""
        ann = world.people["ann"]
        world.people["ann"] = replace(ann, scope_ids=ann.scope_ids | {world.scope_id("acme", "fund:beta")})
        try:
            yield
        finally:
            world.people["ann"] = ann

    held(attack, loot=BETA, without=granted)


def test_the_made_up_tenant_of_a_system_scope_owns_nothing(world: World) -> None:
    def attack() -> Any:
        with open_scope(tenant=TenantId(uuid.uuid4()), scopes=[], reason="a test"):
            return sql("SELECT title FROM corpus_document")

    held(attack, loot=BOLT)
