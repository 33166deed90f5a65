"""The eraser changes what an executing run covers, whoever has its password and a scope token, and nothing else.

Every table that it may delete from or update is asked of the catalogue: one that nobody bound to runs is found. Each is
attacked as that role, in Acme's scope, and once more while a run is carried out that names the tenant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import pytest

from apps.audit.ids import new_id
from apps.erasure.contracts import Target, TargetType
from apps.operations.backup.repeating import repeat_removal
from apps.tenants.context import open_identity, open_scope
from apps.tenants.tokens import Identity
from tests.audit.mutations import acting_as
from tests.audit.removal_world import RemovalWorld, make_removal_world, under_way
from tests.isolation.harness import changed, held, outcome, rolled_back, sql

# What holds it is no policy: table and command -> the trigger, which lets the eraser change what it says of runs alone.
BY_TRIGGER: Final = {
    # How far a request is: its state, from step to step, and when it ended. No word of a person.
    ("audit_erasurerequest", "UPDATE"): "audit_request_step",
    # The runs themselves: who may approve one, and which step follows which.
    ("audit_removalrun", "UPDATE"): "audit_removalrun_step",
    ("audit_removalstep", "UPDATE"): "audit_removalstep_step",
    ("audit_removaltarget", "UPDATE"): "audit_removaltarget_step",
    # How the proof after a restore ended: of what the owner of the tables wrote down, and of what a scan found.
    ("audit_restoration", "UPDATE"): "audit_restoration_step",
}
# What it adds beside the log, which nobody changes afterwards. It adds to no other table: events are written by
# audit_record() alone (test_forged_events.py).
ADDS_TO: Final = {
    "audit_datakey",
    "audit_removalstep",
    "audit_removaltarget",
    "audit_tombstonemark",
}
_MAY: Final = """
    SELECT c.relname::text, command
      FROM pg_class c, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS command
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace = 'public'::regnamespace
       AND CASE WHEN command IN ('INSERT', 'UPDATE') THEN has_any_column_privilege('glassbox_eraser', c.oid, command)
                ELSE has_table_privilege('glassbox_eraser', c.oid, command) END
     ORDER BY 1, 2
"""
# Restrictive, so that no other policy opens the table beside it; of the very command, or of all.
_BOUND: Final = """
    SELECT tablename::text, command FROM pg_policies, unnest(ARRAY['UPDATE', 'DELETE']) AS command
     WHERE schemaname = 'public' AND permissive = 'RESTRICTIVE' AND cmd IN (command, 'ALL')
       AND roles && ARRAY['glassbox_eraser', 'public']::name[] AND qual LIKE '%audit_removal_targets(%'
"""
EMPTIED: Final = {
    "corpus_ingestjob": "actor_label = ''",
    "intents_certifiedgrant": "reason = ''",
    "intents_policyapproval": "approver_label = ''",
    "intents_reviewcomment": "author_label = ''",
    "retrieval_evaluationquery": "created_by = ''",
    "retrieval_policyimpact": "requested_by = ''",
    "tenants_scope": "key = 'erased:' || id, name = 'Erased scope'",
    "tenants_tenant": "slug = 'erased-' || id, name = 'Erased tenant', status = 'suspended'",
    "tenants_user": (
        "username = 'erased-' || id, first_name = '', last_name = '', email = '', password = '!', last_login = NULL, "
        "is_active = false, is_staff = false"
    ),
}
ATTACKS: Final = (
    *((table, "UPDATE") for table in EMPTIED),
    *(
        (table, "DELETE")
        for table in (
            "audit_restriction",
            "corpus_chunk",
            "corpus_document",
            "corpus_embedding1536",
            "corpus_embedding384",
            "corpus_embedding768",
            "corpus_ingestjob",
            "corpus_page",
            "corpus_posting",
            "corpus_sourcefile",
            "filings_entitymention",
            "filings_fact",
            "filings_relation",
            "intents_absence",
            "intents_certifiedgrant",
            "intents_notice",
            "intents_recertification",
            "intents_reviewcomment",
            "research_researchrun",
            "research_researchstep",
            "retrieval_evaluationanswer",
            "retrieval_evaluationquery",
            "retrieval_evaluationrun",
            "retrieval_keptanswer",
            "retrieval_policyimpact",
            "retrieval_sentquestion",
            "tenants_apikey",
            "tenants_grant",
            "tenants_idempotentrequest",
            "tenants_membership",
        )
    ),
)
# The other tables of vectors are of the same kind; the world's profile fills one of them.
EMPTY: Final = {"corpus_embedding768", "corpus_embedding1536"}


@pytest.fixture(scope="module")
def world(committed_ground: None) -> RemovalWorld:
    return make_removal_world()


@contextmanager
def as_eraser_after(*statements: str) -> Iterator[None]:
    """The database as a superuser's statements leave it, and the eraser's rights; rolled back."""
    with changed(*statements):
        sql("SET LOCAL ROLE glassbox_eraser")
        yield


def attack(world: RemovalWorld, table: str, command: str) -> Callable[[], Any]:
    statement = f"DELETE FROM {table}" if command == "DELETE" else f"UPDATE {table} SET {EMPTIED[table]}"

    def attempt() -> Any:
        with open_scope(tenant=world.acme.id, reason="an attack"), open_identity(Identity(user=world.bea.id)):
            return sql(f"{statement} RETURNING 'it is gone'")

    return attempt


# --- What the catalogue says ------------------------------------------------------------------------------------------


def may() -> set[tuple[str, str]]:
    return {(str(table), str(command)) for table, command in sql(_MAY)}


def unbound() -> set[tuple[str, str]]:
    bound = {(str(table), str(command)) for table, command in sql(_BOUND)}
    return {each for each in may() if each[1] != "INSERT"} - bound


@pytest.mark.usefixtures("committed_ground")
def test_every_table_that_the_eraser_may_change_is_bound_to_runs() -> None:
    assert unbound() == BY_TRIGGER.keys()
    triggers = sql(
        "SELECT tgrelid::regclass::text, tgname::text FROM pg_trigger "
        "WHERE NOT tgisinternal AND tgenabled = 'O' AND tgtype & 16 <> 0"
    )
    assert {(table, name) for (table, _), name in BY_TRIGGER.items()} <= set(triggers)


@pytest.mark.usefixtures("committed_ground")
def test_the_eraser_adds_to_its_ledger_and_to_no_other_table() -> None:
    assert {table for table, command in may() if command == "INSERT"} == ADDS_TO


@pytest.mark.usefixtures("committed_ground")
@pytest.mark.parametrize(
    ("plant", "found"),
    [
        ("GRANT DELETE ON tenants_session TO glassbox_eraser", ("tenants_session", "DELETE")),
        ("GRANT UPDATE (title) ON corpus_document TO glassbox_eraser", ("corpus_document", "UPDATE")),
        ("GRANT TRUNCATE ON corpus_document TO glassbox_eraser", ("corpus_document", "TRUNCATE")),
        ("GRANT UPDATE ON tenants_membership TO PUBLIC", ("tenants_membership", "UPDATE")),
        ("DROP POLICY removal_of_targets ON tenants_membership", ("tenants_membership", "DELETE")),
        ("DROP POLICY removal_of_targets ON corpus_page", ("corpus_page", "DELETE")),
        ("DROP POLICY targets_update ON tenants_user", ("tenants_user", "UPDATE")),
        (
            "CREATE TABLE corpus_note (tenant_id uuid); GRANT DELETE ON corpus_note TO glassbox_eraser",
            ("corpus_note", "DELETE"),
        ),
        (
            "DROP POLICY removal_of_targets ON tenants_grant; CREATE POLICY removal_of_targets ON tenants_grant "
            "AS PERMISSIVE FOR DELETE TO glassbox_eraser USING (tenant_id IN (SELECT audit_removal_targets('tenant')))",
            ("tenants_grant", "DELETE"),
        ),
    ],
)
def test_one_that_nobody_bound_is_found(plant: str, found: tuple[str, str]) -> None:
    with changed(plant):
        assert unbound() == {*BY_TRIGGER, found}


@pytest.mark.usefixtures("committed_ground")
def test_each_of_them_is_attacked_here() -> None:
    assert {each for each in may() if each[1] != "INSERT"} == {*ATTACKS, *BY_TRIGGER}


# --- The attacks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "command"), [each for each in ATTACKS if each[0] not in EMPTY])
def test_without_a_run_its_password_and_a_scope_token_change_nothing(
    world: RemovalWorld, table: str, command: str
) -> None:
    with acting_as("glassbox_eraser"):
        held(
            attack(world, table, command),
            loot="it is gone",
            without=lambda: as_eraser_after(*under_way(world.acme)),
        )


_WITHOUT_PARTS: Final = [type for type in TargetType if type is not TargetType.EVENT_GROUP]


def _runs(world: RemovalWorld) -> Mapping[str, tuple[str, ...]]:
    stands = "UPDATE audit_removalrun SET state = '{}'"
    replica, origin = (f"SET LOCAL session_replication_role = {name}" for name in ("replica", "origin"))
    return {
        "another tenant's": under_way(world.bolt),
        "of something else": under_way(world.acme, *(Target(type=type, id=new_id()) for type in _WITHOUT_PARTS)),
        "of what is another tenant's": under_way(
            world.acme,
            Target(type=TargetType.DOCUMENT, id=world.documents["bolt"]),
            Target(type=TargetType.SCOPE, id=world.bolt.scopes["fund:alpha"].id),
            Target(type=TargetType.TENANT, id=world.bolt.tenant.id),
        ),
        **{
            state: (*under_way(world.acme), replica, stands.format(state), origin)
            for state in ("approved", "failed", "verifying", "completed")
        },
        "of what stayed": (
            *under_way(world.acme),
            replica,
            "UPDATE audit_removaltarget SET outcome = 'retained', ground = 'hold:1'",
            origin,
        ),
    }


@pytest.mark.parametrize(
    "run",
    [
        "another tenant's",
        "of something else",
        "of what is another tenant's",
        "approved",
        "failed",
        "verifying",
        "completed",
        "of what stayed",
    ],
)
def test_a_run_that_is_not_carried_out_or_covers_something_else_lets_nothing_go(world: RemovalWorld, run: str) -> None:
    with as_eraser_after(*_runs(world)[run]):
        for table, command in ATTACKS:
            assert "it is gone" not in outcome(attack(world, table, command)), (table, command)


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("tenants_user", "password = 'kept:known'"),
        ("tenants_user", "is_active = true"),
        ("tenants_user", "email = 'mallory@example.com'"),
        ("tenants_tenant", "status = 'active'"),
        ("tenants_tenant", "slug = 'acme-2'"),
        ("tenants_scope", "name = 'Mine'"),
        ("corpus_ingestjob", "actor_label = 'mallory'"),
        ("intents_certifiedgrant", "reason = 'mallory'"),
        ("intents_policyapproval", "approver_label = 'mallory'"),
        ("intents_reviewcomment", "author_label = 'mallory'"),
        ("retrieval_evaluationquery", "created_by = 'mallory'"),
        ("retrieval_policyimpact", "requested_by = 'mallory'"),
    ],
)
def test_under_a_run_it_empties_and_writes_nothing_else(world: RemovalWorld, table: str, change: str) -> None:
    column = change.split(" ", 1)[0]
    kept = [each for each in EMPTIED[table].split(", ") if not each.startswith(f"{column} ")]

    def attempt() -> Any:
        with open_scope(tenant=world.acme.id, reason="an attack"), open_identity(Identity(user=world.bea.id)):
            return sql(f"UPDATE {table} SET {', '.join([*kept, change])} RETURNING 'it is changed'")

    # An address is held by a trigger besides, which speaks first.
    is_address = change.startswith("email")
    besides = [f"ALTER TABLE {table} DISABLE TRIGGER USER"] if is_address else []
    with as_eraser_after(*under_way(world.acme)):
        assert ("sets none" if is_address else "row-level security") in outcome(attempt)
    with as_eraser_after(*under_way(world.acme), *besides):
        assert "row-level security" in outcome(attempt)
    # An account's policy is from a migration, the others' from the declarations.
    policy = "targets_update" if table == "tenants_user" else "emptying_of_targets"
    with as_eraser_after(*under_way(world.acme), *besides, f"DROP POLICY {policy} ON {table}"):
        assert "it is changed" in outcome(attempt)


def test_an_account_that_another_tenant_has_or_that_runs_the_platform_is_not_emptied(world: RemovalWorld) -> None:
    def attempt(**identity: Any) -> str:
        def emptying() -> Any:
            with open_scope(tenant=world.acme.id, reason="an attack"), open_identity(Identity(**identity)):
                return sql(f"UPDATE tenants_user SET {EMPTIED['tenants_user']} RETURNING username::text")

        return outcome(emptying)

    ann, bea = world.ann.id, world.bea.id
    run = under_way(world.acme, *(Target(type=TargetType.USER, id=id) for id in (ann, bea)))  # type: ignore[arg-type]
    with as_eraser_after(*run):
        assert f"erased-{bea}" in attempt(user=bea)
        assert attempt(user=ann) == ""
        # Who looks at all accounts sees no other tenant's memberships, and so empties nobody.
        assert attempt(all_accounts=True) == ""
    with as_eraser_after(
        *run, f"DELETE FROM tenants_grant; DELETE FROM tenants_membership WHERE tenant_id = '{world.bolt.id}'"
    ):
        assert f"erased-{ann}" in attempt(user=ann)
    with as_eraser_after(*run, f"UPDATE tenants_user SET is_superuser = true WHERE id = '{bea}'"):
        assert attempt(user=bea) == ""


def test_a_run_of_a_scope_covers_one_that_was_made_below_it_since(world: RemovalWorld) -> None:
    beta, gamma = (str(world.acme.scopes[f"fund:{name}"].id) for name in ("beta", "gamma"))

    def named() -> set[str]:
        with open_scope(tenant=world.acme.id, reason="a test"):
            return {str(row[0]) for row in sql("SELECT audit_removal_targets('scope')")}

    with as_eraser_after(*under_way(world.acme, world.target(TargetType.SCOPE))):
        assert named() == {beta, gamma}
    with as_eraser_after(
        *under_way(world.acme, Target(type=TargetType.DOCUMENT, id=world.acme.scopes["fund:beta"].id))
    ):
        assert named() == set()


# --- What a restore repeats -------------------------------------------------------------------------------------------

_SAY: Final = (
    "INSERT INTO authz.repeated_removal (tenant_id, type, item_id) VALUES (%s, 'user', %s) RETURNING 'it is said'"
)
ROLES: Final = ("glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_eraser", "glassbox_backup")


def saying(world: RemovalWorld, **scope: Any) -> Callable[[], Any]:
    def attempt() -> Any:
        with open_scope(tenant=world.acme.id, reason="an attack", **scope):
            return sql(_SAY, world.acme.id, world.bea.id)

    return attempt


@pytest.mark.parametrize("role", ROLES)
def test_nobody_but_the_owner_names_what_is_repeated(world: RemovalWorld, role: str) -> None:
    open_door = (
        f"GRANT USAGE ON SCHEMA authz TO {role}",
        f"GRANT ALL ON authz.repeated_removal TO {role}",
        f"CREATE POLICY open_door ON authz.repeated_removal TO {role} USING (true) WITH CHECK (true)",
    )

    @contextmanager
    def opened() -> Iterator[None]:
        with changed(*open_door):
            sql(f"SET LOCAL ROLE {role}")
            yield

    if role == "glassbox_backup":
        # It opens no scope: it reads everything, and has no right to write anything.
        with acting_as(role), rolled_back():
            assert "permission denied" in outcome(lambda: sql(_SAY, world.acme.id, world.bea.id))
        return
    with acting_as(role):
        assert "permission denied" in held(saying(world), loot="it is said", without=opened)


def test_the_owner_names_it_with_the_platforms_token_of_that_tenant_alone(world: RemovalWorld) -> None:
    def elsewhere() -> Any:
        with open_scope(tenant=world.bolt.id, reason="an attack"):
            return sql(_SAY, world.acme.id, world.bea.id)

    with acting_as("glassbox_owner"), rolled_back():
        assert "it is said" in outcome(saying(world))
        assert "row-level security" in outcome(saying(world, principal=world.ann))
        assert "row-level security" in outcome(elsewhere)
        assert "no scope is open" in outcome(lambda: sql(_SAY, world.acme.id, world.bea.id))
        # Not even itself does it let by: the table is another role's.
        assert "must be owner" in outcome(lambda: sql("ALTER TABLE authz.repeated_removal DISABLE ROW LEVEL SECURITY"))
        assert "permission denied" in outcome(lambda: sql("UPDATE authz.repeated_removal SET until = 'infinity'"))


def _gone(world: RemovalWorld) -> str:
    with acting_as("glassbox_eraser"), rolled_back():
        return outcome(attack(world, "tenants_membership", "DELETE"))


def test_what_is_repeated_goes_without_a_run_as_long_as_it_is_named(world: RemovalWorld) -> None:
    assert _gone(world) == ""
    with repeat_removal(world.acme.id, [world.target(TargetType.USER)], database="", reason="a test"):
        assert _gone(world).count("it is gone") == 1
        with repeat_removal(world.bolt.id, [world.target(TargetType.TENANT)], database="", reason="a test"):
            assert _gone(world).count("it is gone") == 1
    assert _gone(world) == ""


def test_what_a_killed_process_left_is_named_anew_or_ends_by_itself(world: RemovalWorld) -> None:
    left = (
        "INSERT INTO authz.repeated_removal (tenant_id, type, item_id, until) "
        f"VALUES ('{world.acme.id}', 'user', '{world.bea.id}', now() + interval '{{}}')"
    )
    for lasts, count in (("1 second", 1), ("-1 second", 0)):
        with as_eraser_after(left.format(lasts)):
            assert outcome(attack(world, "tenants_membership", "DELETE")).count("it is gone") == count
    # Another replay names what it repeats itself, and nothing that it does not: by now it may be held.
    broken = repeat_removal(world.acme.id, [world.target(TargetType.USER)], database="", reason="a test")
    broken.__enter__()
    assert _gone(world).count("it is gone") == 1
    others = [world.other(TargetType.USER)]
    with repeat_removal(world.acme.id, others, database="", reason="a test"), acting_as("superuser"):
        assert sql("SELECT item_id FROM authz.repeated_removal") == [(world.ann.id,)]
    assert _gone(world) == ""
