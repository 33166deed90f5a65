"""Keys of the log: one a tenant and quarter, wrapped by a key that is not in the database, and wrapped anew."""

from __future__ import annotations

import secrets
import threading
from datetime import UTC, datetime
from io import StringIO
from typing import Any, ClassVar
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings, settings
from django.core.management import call_command
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries

from apps.audit.errors import DataKeyDamagedError, KeyEncryptionKeyMissingError
from apps.audit.keys import data_keys
from apps.audit.keys.cache import DataKeyInUse, KeyCache
from apps.audit.keys.contracts import WrappedKey
from apps.audit.keys.data_keys import current_data_key
from apps.audit.keys.environment import EnvironmentKeys
from apps.audit.models import DataKey, Event, Payload
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.findings import FindingClass
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models import Scope
from config.secrets import WrappingKey
from tests.audit.acting import checkpointed, sealed
from tests.audit.verifying import tampering
from tests.factories import Firm, make_firm

AUTUMN, WINTER = datetime(2026, 12, 31, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
NEW = WrappingKey(kid="new", key=bytes(range(32)))


@pytest.fixture(autouse=True)
def _forgotten() -> Any:
    data_keys.cache.clear()
    yield
    data_keys.cache.clear()


def recorded(firm: Firm) -> Event:
    with open_scope(tenant=firm.id, reason="a test"):
        return record(action="tenants.scope.created", core={"key": "fund:gamma"})


def payload_of(firm: Firm, event: Event) -> Any:
    with open_scope(tenant=firm.id, reason="a test"):
        return payloads_of([event])[event.id]


# --- Data keys --------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_tenant_has_one_key_a_quarter() -> None:
    acme, bolt = make_firm("acme"), make_firm("bolt")
    found: dict[tuple[UUID, datetime], DataKeyInUse] = {}
    for firm in (acme, bolt):
        with open_scope(tenant=firm.id, reason="a test"):
            for moment in (AUTUMN, WINTER, AUTUMN):
                found.setdefault((firm.id, moment), current_data_key(firm.id, moment))
            assert current_data_key(firm.id, AUTUMN) == found[firm.id, AUTUMN]
    assert len({key.id for key in found.values()}) == len({key.key for key in found.values()}) == 4


@pytest.mark.django_db
def test_the_row_holds_nothing_that_opens_a_payload() -> None:
    acme = make_firm("acme")
    with open_scope(tenant=acme.id, reason="a test"):
        key = current_data_key(acme.id, AUTUMN)
        row = DataKey.objects.get(id=key.id)
    assert key.key not in bytes(row.wrapped_key)
    assert row.kek_id == settings.GLASSBOX_AUDIT_KEKS[0].kid
    assert repr(key.key) not in repr(key)


@pytest.mark.django_db(transaction=True)
def test_a_key_that_was_used_costs_no_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    acme = make_firm("acme")
    with open_scope(tenant=acme.id, reason="a test"), django_assert_num_queries(1):
        record(action="tenants.scope.created", core={"key": "fund:gamma"})


@pytest.mark.django_db(transaction=True)
def test_a_key_that_was_rolled_back_seals_nothing_later() -> None:
    acme = make_firm("acme")
    with open_scope(tenant=acme.id, reason="a test"), transaction.atomic():
        gone = current_data_key(acme.id, WINTER)
        transaction.set_rollback(True)
    with open_scope(tenant=acme.id, reason="a test"):
        kept = current_data_key(acme.id, WINTER)
        assert [row.id for row in DataKey.objects.filter(epoch="2027Q1")] == [kept.id] != [gone.id]


@pytest.mark.django_db
def test_a_key_that_the_transaction_used_costs_no_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    acme = make_firm("acme")
    with open_scope(tenant=acme.id, reason="a test"):
        used = current_data_key(acme.id, WINTER)
        with django_assert_num_queries(0):
            assert current_data_key(acme.id, WINTER) == used


@pytest.mark.django_db
def test_a_key_of_a_savepoint_that_was_rolled_back_seals_nothing_later() -> None:
    acme = make_firm("acme")
    with open_scope(tenant=acme.id, reason="a test"):
        with transaction.atomic():
            gone = current_data_key(acme.id, WINTER)
            transaction.set_rollback(True)
        kept = current_data_key(acme.id, WINTER)
        assert [row.id for row in DataKey.objects.filter(epoch="2027Q1")] == [kept.id] != [gone.id]


@pytest.mark.django_db(transaction=True)
def test_a_key_that_another_thread_forgot_meanwhile_is_not_remembered_at_the_commit() -> None:
    """An erasure may have destroyed it."""
    acme = make_firm("acme")
    with open_scope(tenant=acme.id, reason="a test"), transaction.atomic():
        key = current_data_key(acme.id, WINTER)
        forgetting = threading.Thread(target=data_keys.forget_keys, args=(acme.id,))
        forgetting.start()
        forgetting.join(timeout=20)
        assert data_keys._used_in_transaction(acme.id, "2027Q1") is None
    assert data_keys.cache.get(acme.id, str(key.id)) is None


@pytest.mark.django_db(transaction=True)
def test_the_age_of_a_key_counts_from_its_reading_and_not_from_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    acme, now = make_firm("acme"), 1_000.0
    monkeypatch.setattr("apps.audit.keys.cache.time.monotonic", lambda: now)
    with open_scope(tenant=acme.id, reason="a test"), transaction.atomic():
        key = current_data_key(acme.id, WINTER)
        now += 200
        assert data_keys._used_in_transaction(acme.id, "2027Q1") == key
    now += 100
    assert data_keys.cache.get(acme.id, "2027Q1") == key
    now += 1
    assert data_keys.cache.get(acme.id, "2027Q1") is None
    with open_scope(tenant=acme.id, reason="a test"), transaction.atomic():
        assert current_data_key(acme.id, WINTER) == key
        now += 301
        assert data_keys._used_in_transaction(acme.id, "2027Q1") is None
    assert data_keys.cache.get(acme.id, "2027Q1") is None


@pytest.mark.django_db
def test_what_a_transaction_has_read_it_reads_once(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    acme = make_firm("acme")
    with open_scope(tenant=acme.id, reason="a test"):
        key = current_data_key(acme.id, WINTER)
        data_keys.forget_keys(acme.id)
        assert data_keys.data_keys(acme.id, [key.id]) == {key.id: key.key}
        with django_assert_num_queries(0):
            assert data_keys.data_keys(acme.id, [key.id]) == {key.id: key.key}


@pytest.mark.django_db
def test_the_key_of_the_end_seals_from_then_on_what_the_transaction_records() -> None:
    acme = make_firm("acme")
    with open_scope(tenant=acme.id, reason="a test"):
        before = current_data_key(acme.id, WINTER)
        end = data_keys.end_data_key(acme.id)
        assert current_data_key(acme.id, WINTER).id == end != before.id


@pytest.mark.django_db(transaction=True)
def test_two_writers_of_the_first_event_share_one_key() -> None:
    acme = make_firm("acme")
    ready, keys = threading.Barrier(2), []

    def write() -> None:
        try:
            with open_scope(tenant=acme.id, reason="a test"):
                ready.wait(timeout=10)
                keys.append(current_data_key(acme.id, WINTER))
        finally:
            connection.close()

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=20)
    assert len(keys) == 2
    assert keys[0] == keys[1]


# --- In the process ---------------------------------------------------------------------------------------------------


def in_use() -> DataKeyInUse:
    return DataKeyInUse(id=uuid4(), key=secrets.token_bytes(32))


def test_the_cache_forgets_the_least_used() -> None:
    cache, tenant = KeyCache(max_entries=2), uuid4()
    keys = {name: in_use() for name in "abc"}
    cache.put(tenant, ("a",), keys["a"])
    cache.put(tenant, ("b",), keys["b"])
    assert cache.get(tenant, "a") == keys["a"]
    cache.put(tenant, ("c",), keys["c"])
    assert [cache.get(tenant, name) for name in "abc"] == [keys["a"], None, keys["c"]]
    assert cache.get(uuid4(), "a") is None


def test_the_cache_forgets_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    cache, tenant, now = KeyCache(max_age_s=300), uuid4(), 1_000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    cache.put(tenant, ("a",), in_use())
    now = 1_300.0
    assert cache.get(tenant, "a") is not None
    now = 1_300.1
    assert cache.get(tenant, "a") is None


# --- Key-encryption keys ----------------------------------------------------------------------------------------------


def test_what_an_older_key_wrapped_still_unwraps_and_the_newest_wraps() -> None:
    old = WrappingKey(kid="old", key=secrets.token_bytes(32))
    wrapped = EnvironmentKeys([old]).wrap(b"k" * 32, context=b"here")
    both = EnvironmentKeys([NEW, old])
    assert both.unwrap(wrapped, context=b"here") == b"k" * 32
    assert both.wrap(b"k" * 32, context=b"here").kek_id == both.current_id == "new"
    assert repr(wrapped.wrapped) not in repr(wrapped)


def test_a_wrapped_key_opens_in_its_own_place_alone() -> None:
    keys = EnvironmentKeys([NEW])
    wrapped = keys.wrap(b"k" * 32, context=b"here")
    with pytest.raises(DataKeyDamagedError):
        keys.unwrap(wrapped, context=b"there")
    with pytest.raises(DataKeyDamagedError):
        keys.unwrap(WrappedKey(kek_id="new", wrapped=b""), context=b"here")


@pytest.mark.django_db(transaction=True)
def test_without_its_key_encryption_key_nothing_is_read_and_no_act_happens(settings: LazySettings) -> None:
    acme = make_firm("acme")
    event = recorded(acme)
    data_keys.cache.clear()
    settings.GLASSBOX_AUDIT_KEKS = (NEW,)
    with pytest.raises(KeyEncryptionKeyMissingError, match="rotate-keys"):
        payload_of(acme, event)
    with pytest.raises(KeyEncryptionKeyMissingError):
        renamed(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Scope.objects.get(key="fund:alpha").name == "Alpha"


def renamed(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        assert Scope.objects.filter(key="fund:alpha").update(name="Renamed") == 1
        record(action="tenants.scope.created", core={"key": "fund:alpha"})


class Vault:
    """A key management service, as far as the log asks: it keeps the keys, and gives tickets for them."""

    kept: ClassVar[dict[bytes, tuple[bytes, bytes]]] = {}
    current_id = "vault/1"

    def wrap(self, key: bytes, *, context: bytes) -> WrappedKey:
        ticket = secrets.token_bytes(16)
        self.kept[ticket] = (key, context)
        return WrappedKey(kek_id=self.current_id, wrapped=ticket)

    def unwrap(self, wrapped: WrappedKey, *, context: bytes) -> bytes:
        key, wanted = self.kept[wrapped.wrapped]
        assert context == wanted
        return key


@pytest.mark.django_db(transaction=True)
def test_a_key_management_service_fits_behind_the_provider(settings: LazySettings) -> None:
    settings.GLASSBOX_AUDIT_KEY_PROVIDER = "tests.audit.test_keys.Vault"
    acme = make_firm("acme")
    event = recorded(acme)
    data_keys.cache.clear()
    assert payload_of(acme, event) == {"core": {"key": "fund:gamma"}}
    with open_scope(tenant=acme.id, reason="a test"):
        assert {row.kek_id for row in DataKey.objects.all()} == {"vault/1"}


# --- Rotation ---------------------------------------------------------------------------------------------------------


def stored(firm: Firm) -> tuple[dict[UUID, bytes], dict[UUID, str]]:
    """Payloads' ciphertexts, and which key wrapped each data key."""
    with open_scope(tenant=TenantId(firm.id), reason="a test"):
        payloads = {row.id: bytes(row.ciphertext) for row in Payload.objects.all()}
        return payloads, dict(DataKey.objects.values_list("id", "kek_id"))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_rotation_wraps_the_data_keys_anew_and_touches_no_payload(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an operator does it: the command, which finds its own role, in a process with the new list of keys."""
    acme, bolt = make_firm("acme"), make_firm("bolt")
    event = recorded(acme)
    before = {firm.id: stored(firm) for firm in (acme, bolt)}
    old = settings.GLASSBOX_AUDIT_KEKS[0]
    listed = ",".join(f"{each.kid}:{each.key.hex()}" for each in (NEW, old))
    monkeypatch.setenv("GLASSBOX_AUDIT_KEKS", listed)
    out = StringIO()
    call_command("audit", "rotate-keys", stdout=out)
    assert "2 data keys rewrapped; all are under new." in out.getvalue()
    for firm in (acme, bolt):
        payloads, keys = stored(firm)
        assert before[firm.id][0].items() <= payloads.items()
        assert keys == dict.fromkeys(before[firm.id][1], "new")
    # The old key has done its work.
    settings.GLASSBOX_AUDIT_KEKS = (NEW,)
    data_keys.cache.clear()
    assert payload_of(acme, event) == {"core": {"key": "fund:gamma"}}
    with open_scope(tenant=acme.id, reason="a test"):
        told = Event.objects.get(action="audit.data_keys.rewrapped")
        assert told.payload == {"core": {"kek_id": "new", "rewrapped": 1}}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "change",
    [
        "epoch = '2001-Q1'",
        "subject_id = '0190aaaa-0000-7000-8000-000000000001'",
        "wrapped_key = set_byte(wrapped_key, 20, get_byte(wrapped_key, 20) # 1)",
    ],
)
def test_a_key_of_another_period_or_subject_opens_nothing(change: str) -> None:
    """What stands beside a wrapped key is authenticated with it; and a verification names what it sealed."""
    firm = make_firm("acme")
    recorded(firm)
    sealed(firm)
    checkpointed(firm)
    assert verify_tenant(tenant=firm.id).is_intact
    with tampering() as changing:
        changing.execute(f"UPDATE audit_datakey SET {change} WHERE tenant_id = %s", [firm.id])
    data_keys.cache.clear()
    report = verify_tenant(tenant=firm.id)
    assert report.totals.keys() == {FindingClass.ALTERED_GROUP}
    assert report.checked.opened == 0


@pytest.mark.django_db(transaction=True)
def test_a_key_of_an_earlier_release_opens_and_is_bound_when_it_is_rotated() -> None:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        row = DataKey.objects.get()
        key = data_keys.unwrapped(row)
        context = data_keys.key_context(tenant=row.tenant_id, key_id=row.id)
        earlier = data_keys.key_provider().wrap(key, context=context)
        row.wrapped_key = earlier.wrapped
        assert data_keys.unwrapped(row) == key
        row.wrapped_key = data_keys.key_provider().wrap(key, context=data_keys.context_of(row)).wrapped
        assert data_keys.unwrapped(row) == key
        row.epoch = "2001-Q1"
        with pytest.raises(DataKeyDamagedError):
            data_keys.unwrapped(row)
