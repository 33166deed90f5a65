"""The register against a reference that knows nothing of it: random histories, asked at random instants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, Final
from uuid import UUID, uuid5

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.kinds import Kind
from apps.intents.access.contracts import ActsFor, GrantFact, Holding, IntentReach, Subject, TenantFacts, Through
from apps.intents.access.register.contracts import DocumentFact, Filters, History, Holder, ScopeBirth, Version
from apps.intents.access.register.reckoning import Reckoner, policy_changes
from apps.intents.baseline import baseline_snapshot
from apps.tenants.ids import ScopeId, UserId
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import PERMISSIONS, Permission, Role

_SPACE = UUID("00000000-0000-7000-8000-000000000000")
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_LENGTH = 12
_KINDS = ("run", "methodology", "org_profile")
_INTENTS = ("performance", "unrecognised")
# Who sees a restricted document, since they decide about it.
_DECIDE = {Role.DPO, Role.REVIEWER}


def id_of(name: str) -> UUID:
    return uuid5(_SPACE, name)


def at(hour: float) -> datetime:
    return _BEGIN + timedelta(hours=hour)


@dataclass(frozen=True)
class Given:
    """A grant: scope, from, to."""

    scope: int
    since: int
    until: int | None


@dataclass(frozen=True)
class Role_:
    role: Role
    since: int
    until: int | None
    grants: tuple[Given, ...]


@dataclass(frozen=True)
class World:
    """parents: scope -> its parent, a lower number. made: when each scope was. people: what each held.

    keys: what each held, and the person for whom it acts. policies: from when on, and the kinds by intent.
    document: its scope, kind, and the hours of receipt, publication and removal, and of a restriction.
    """

    parents: tuple[int | None, ...]
    made: tuple[int, ...]
    people: tuple[tuple[Role_, ...], ...]
    keys: tuple[tuple[Role_, int | None], ...]
    policies: tuple[tuple[int, Mapping[str, tuple[str, ...]]], ...]
    document: tuple[int, str, int, int | None, int | None, tuple[int, int | None] | None]


# --- The reference: what a request at that hour would have met, told one rule after the other -------------------------


def holds(since: int, until: int | None, hour: float) -> bool:
    return since <= hour and (until is None or hour < until)


def scopes_of(world: World, role: Role_, hour: float) -> set[int]:
    found = set()
    for scope in range(len(world.parents)):
        if world.made[scope] > hour:
            continue
        above: int | None = scope
        while above is not None:
            if any(each.scope == above and holds(each.since, each.until, hour) for each in role.grants):
                found.add(scope)
            above = world.parents[above]
    return found


def person_at(world: World, person: int, hour: float) -> tuple[set[Role], set[int]]:
    now = [role for role in world.people[person] if holds(role.since, role.until, hour)]
    scopes: set[int] = set()
    for role in now:
        scopes |= scopes_of(world, role, hour)
    return {role.role for role in now}, scopes


def holder_at(world: World, who: tuple[str, int], hour: float) -> tuple[set[Role], set[int]]:
    sort, number = who
    if sort == "person":
        return person_at(world, number, hour)
    held, person = world.keys[number]
    if not holds(held.since, held.until, hour):
        return set(), set()
    scopes = scopes_of(world, held, hour)
    if person is None:
        return {held.role}, scopes
    roles, bound = person_at(world, person, hour)
    return ({held.role}, scopes & bound) if held.role in roles else (set(), set())


def met(world: World, who: tuple[str, int], hour: float, **narrowed: Any) -> tuple[Any, ...]:
    """Return the scopes in which they could ask, those in which they could open, and the kinds by intent."""
    roles, scopes = holder_at(world, who, hour)
    if narrowed.get("role") and narrowed["role"] not in roles:
        return set(), set(), {}
    in_force = [kinds for since, kinds in world.policies if since <= hour]
    kinds = (
        dict(in_force[-1]) if in_force and any(Permission.QUESTION_ASK in PERMISSIONS[role] for role in roles) else {}
    )
    opens = set(scopes) if any(Permission.DOCUMENT_VIEW in PERMISSIONS[role] for role in roles) else set()
    if narrowed.get("kind"):
        kinds = {name: tuple(kind for kind in each if kind == narrowed["kind"]) for name, each in kinds.items()}
    if narrowed.get("scope") is not None:
        scopes, opens = scopes & {narrowed["scope"]}, opens & {narrowed["scope"]}
    if narrowed.get("document"):
        scope, kind, received, published, gone, restricted = world.document
        kinds = {name: tuple(each for each in found if each == kind) for name, found in kinds.items()}
        scopes, opens = scopes & {scope}, opens & {scope}
        hidden = restricted is not None and holds(*restricted, hour)
        if not holds(received, gone, hour):
            return set(), set(), {}
        if published is None or hour < published or hidden:
            scopes = set()
        if hidden and not roles & _DECIDE:
            opens = set()
    kinds = {name: each for name, each in kinds.items() if each}
    asks = scopes if kinds else set()
    return asks, opens, kinds if asks else {}


# --- The same world as a history --------------------------------------------------------------------------------------


def scope_id(scope: int) -> ScopeId:
    return ScopeId(id_of(f"scope {scope}"))


def _until(until: int | None) -> datetime | None:
    return None if until is None else at(until)


def _holding(name: str, role: Role_, through: Through) -> Holding:
    return Holding(
        through=through,
        id=id_of(name),
        role=role.role,
        valid_from=at(role.since),
        valid_to=_until(role.until),
        grants=tuple(
            GrantFact(
                id=id_of(f"{name} {number}"),
                scope_id=scope_id(each.scope),
                valid_from=at(each.since),
                valid_to=_until(each.until),
            )
            for number, each in enumerate(role.grants)
        ),
    )


def _subject(sort: str, number: int, person: int | None = None) -> Subject:
    name = f"{sort} {number}"
    acts_for = None if person is None else ActsFor(id=UserId(id_of(f"person {person}")), name="p", label="p")
    kind = PrincipalKind.USER if sort == "person" else PrincipalKind.API_KEY
    return Subject(kind=kind, id=id_of(name), name=name, label=name, acts_for=acts_for)


def history_of(world: World) -> History:
    people = [
        Holder(
            subject=_subject("person", number),
            holdings=tuple(
                _holding(f"person {number} {place}", role, Through.MEMBERSHIP) for place, role in enumerate(roles)
            ),
        )
        for number, roles in enumerate(world.people)
    ]
    keys = [
        Holder(subject=_subject("key", number, person), holdings=(_holding(f"key {number}", held, Through.API_KEY),))
        for number, (held, person) in enumerate(world.keys)
    ]
    snapshot = baseline_snapshot()
    ends = [*(since for since, _ in world.policies[1:]), None][: len(world.policies)]
    return History(
        read_at=at(_LENGTH + 1),
        tenant=TenantFacts(slug="acme", name="Acme", created_at=at(0), suspended=False),
        holders=(*people, *keys),
        scopes=tuple(
            ScopeBirth(scope_id(each), None if parent is None else scope_id(parent), at(world.made[each]))
            for each, parent in enumerate(world.parents)
        ),
        names={},
        versions=tuple(
            Version(
                snapshot=snapshot,
                sha256="",
                reaches=tuple(
                    IntentReach(name=name, label=name, recognised=True, kinds=tuple(Kind(each) for each in found))
                    for name, found in kinds.items()
                ),
                valid_from=at(since),
                valid_to=_until(until),
            )
            for (since, kinds), until in zip(world.policies, ends, strict=True)
        ),
        forgotten=0,
        log_size=0,
        log_root="",
    )


def filters_of(world: World, narrowed: Mapping[str, Any]) -> Filters:
    scope, kind, received, published, gone, restricted = world.document
    fact = DocumentFact(
        id=id_of("document"),
        title="",
        kind=kind,
        scope_id=scope_id(scope),
        received_at=at(received),
        published_at=_until(published),
        superseded_at=None,
        gone_at=_until(gone),
        restricted=() if restricted is None else ((at(restricted[0]), _until(restricted[1])),),
        is_there=True,
    )
    place = narrowed.get("scope")
    return Filters(
        role=narrowed.get("role"),
        kind=narrowed.get("kind", ""),
        scope_id=None if place is None else scope_id(place),
        document=fact if narrowed.get("document") else None,
    )


# --- Random worlds ----------------------------------------------------------------------------------------------------

_HOURS = st.integers(0, _LENGTH)


@st.composite
def _periods(draw: st.DrawFn) -> tuple[int, int | None]:
    since = draw(_HOURS)
    return since, draw(st.none() | st.integers(since, _LENGTH))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    count = draw(st.integers(1, 4))
    parents = (None, *(draw(st.integers(0, scope - 1)) for scope in range(1, count)))
    made = [0]
    for parent in parents[1:]:
        made.append(draw(st.integers(made[parent], _LENGTH)))

    def role() -> Role_:
        grants = draw(st.lists(st.tuples(st.integers(0, count - 1), _periods()), max_size=2))
        return Role_(draw(st.sampled_from(Role)), *draw(_periods()), tuple(Given(s, *p) for s, p in grants))

    people = tuple(tuple(role() for _ in range(draw(st.integers(0, 2)))) for _ in range(draw(st.integers(1, 2))))
    keys = tuple((role(), draw(st.none() | st.integers(0, len(people) - 1))) for _ in range(draw(st.integers(0, 2))))
    kinds = st.lists(st.sampled_from(_KINDS), unique=True, max_size=2).map(tuple)
    begins = sorted(draw(st.sets(_HOURS, max_size=3)))
    policies = tuple((since, {name: draw(kinds) for name in _INTENTS}) for since in begins)
    received, gone = draw(_periods())
    published = draw(st.none() | st.integers(received, _LENGTH))
    document = (
        *(draw(st.integers(0, count - 1)), draw(st.sampled_from(_KINDS))),
        *(received, published, gone, draw(st.none() | _periods())),
    )
    return World(parents, tuple(made), people, keys, policies, document)


@st.composite
def narrowings(draw: st.DrawFn) -> dict[str, Any]:
    """What a question is narrowed to, most often nothing."""
    return {
        name: draw(values)
        for name, values in (
            ("role", st.sampled_from(Role)),
            ("kind", st.sampled_from(_KINDS)),
            ("scope", st.integers(0, 3)),
            ("document", st.just(True)),
        )
        if draw(st.integers(0, 2)) == 0
    }


def consistent(narrowed: Mapping[str, Any], world: World) -> dict[str, Any]:
    """A document has one kind: a question about another one of it finds nothing, which a test of its own holds."""
    found = dict(narrowed)
    if found.get("document"):
        found.pop("kind", None)
    if found.get("scope") is not None:
        found["scope"] %= len(world.parents)
    return found


def who(world: World) -> list[tuple[str, int]]:
    people = [("person", each) for each in range(len(world.people))]
    return [*people, *(("key", each) for each in range(len(world.keys)))]


def told(reckoner: Reckoner, holder: Holder, hour: float, filters: Filters) -> tuple[Any, ...]:
    cell = reckoner.cell_at(holder, at(hour), filters)
    return (set(), set(), {}) if cell is None else (set(cell.asks), set(cell.opens), dict(cell.reaches))


def expected(world: World, each: tuple[str, int], hour: float, narrowed: Mapping[str, Any]) -> tuple[Any, ...]:
    asks, opens, kinds = met(world, each, hour, **narrowed)
    return {scope_id(scope) for scope in asks}, {scope_id(scope) for scope in opens}, kinds


# A time has microseconds, and no finer parts: an hour's 0.000001 is 3.6 ms.
_INSTANTS: Final = st.floats(0, _LENGTH).map(lambda hour: round(hour, 6))


@given(worlds(), narrowings(), st.lists(_INSTANTS, max_size=4))
@settings(max_examples=200)
def test_at_any_instant_the_register_tells_what_a_request_would_have_met(
    world: World, narrowed: dict[str, Any], instants: list[float]
) -> None:
    narrowed = consistent(narrowed, world)
    reckoner, filters = Reckoner(history_of(world)), filters_of(world, narrowed)
    for hour in (*range(_LENGTH + 1), *instants):
        for each, holder in zip(who(world), reckoner.history.holders, strict=True):
            assert told(reckoner, holder, hour, filters) == expected(world, each, hour, narrowed), (each, hour)


@given(worlds(), narrowings(), _HOURS, st.integers(1, _LENGTH))
@settings(max_examples=150)
def test_the_spans_of_a_range_tell_the_same_as_every_instant_of_it(
    world: World, narrowed: dict[str, Any], first: int, length: int
) -> None:
    narrowed = consistent(narrowed, world)
    reckoner, filters = Reckoner(history_of(world)), filters_of(world, narrowed)
    for each, holder in zip(who(world), reckoner.history.holders, strict=True):
        spans = reckoner.spans(holder, at(first), at(first + length), filters)
        for one, other in pairwise(spans):
            assert one.until is not None
            assert other.since is not None
            assert one.until <= other.since
            assert one.until < other.since or one.cell != other.cell, "two spans that are one"
        for half in range(2 * first, 2 * (first + length)):
            here = [span for span in spans if span.since <= at(half / 2) < span.until]  # type: ignore[operator]
            cells = [(set(span.cell.asks), set(span.cell.opens), dict(span.cell.reaches)) for span in here]
            wanted = expected(world, each, half / 2, narrowed)
            assert cells == ([] if wanted == (set(), set(), {}) else [wanted])


@given(worlds(), narrowings(), _HOURS, _HOURS)
@settings(max_examples=200)
def test_the_changes_between_two_instants_are_all_that_differs(
    world: World, narrowed: dict[str, Any], one: int, other: int
) -> None:
    narrowed = consistent(narrowed, world)
    reckoner, filters = Reckoner(history_of(world)), filters_of(world, narrowed)
    for each, holder in zip(who(world), reckoner.history.holders, strict=True):
        change = reckoner.change(holder, at(one), at(other), filters)
        before, after = (expected(world, each, hour, narrowed) for hour in (one, other))
        if before != after:
            assert change is not None
        elif change is not None:
            # The same reach by other roles is a change too: an auditor asks by which right.
            assert change.before is not None
            assert change.after is not None
            assert change.before.roles != change.after.roles


def test_what_a_policy_gains_and_loses_is_told_by_intent() -> None:
    world = World((None,), (0,), (), (), ((0, {"a": ("run",)}), (5, {"a": ("methodology",), "b": ("run",)})), _NOWHERE)
    before, after = history_of(world).versions
    assert sorted(policy_changes(before, after)) == [
        ("a", False, ["run"]),
        ("a", True, ["methodology"]),
        ("b", True, ["run"]),
    ]
    assert sorted(policy_changes(before, after, "run")) == [("a", False, ["run"]), ("b", True, ["run"])]


def test_a_question_about_another_kind_than_the_documents_finds_only_who_opens_it() -> None:
    role = Role_(Role.ANALYST, 0, None, (Given(0, 0, None),))
    world = World((None,), (0,), ((role,),), (), ((0, {"a": ("run", "methodology")}),), _NOWHERE)
    history = history_of(world)
    fact = filters_of(world, {"document": True}).document
    cell = Reckoner(history).cell_at(history.holders[0], at(1), Filters(document=fact, kind="methodology"))
    assert cell is not None
    assert (cell.asks, set(cell.opens)) == (frozenset(), {scope_id(0)})


_NOWHERE = (0, "run", 0, 0, None, None)
