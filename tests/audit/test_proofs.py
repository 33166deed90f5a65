"""Proofs out of the database, against the verification of RFC 9162 (tree.py) and roots computed leaf by leaf."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.audit.errors import MissingNodesError, NoCheckpointError, NotSealedError, SizeUnknownError
from apps.audit.log.proofs import consistency_proof, inclusion_proof
from apps.audit.log.sequencer import _completed
from apps.audit.log.storage import root_at, stored_size
from apps.audit.log.tree import EMPTY_ROOT, leaf_hash, proves_consistency, proves_inclusion, root_of
from apps.audit.models import Leaf
from apps.tenants.context import open_scope
from tests.audit.acting import checkpointed, recorded, sealed
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)

SIZES = (1, 2, 3, 255, 256, 257, 511, 512, 1000, 65_535, 65_536, 65_537, 65_792, 66_000)
LARGEST = SIZES[-1]


def hashes(count: int) -> list[bytes]:
    return [leaf_hash(str(number).encode()) for number in range(count)]


def event_id(number: int) -> UUID:
    return UUID(int=number + 1)


def planted(firm: Firm, leaves: list[bytes]) -> None:
    """A stored tree of these leaves, made level by level: not by the sequencer, which would take a minute."""
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as admin:
        with admin.cursor().copy("COPY audit_leaf (tenant_id, event_id, index, hash) FROM STDIN") as copy:
            for index, hash in enumerate(leaves):
                copy.write_row((firm.id, event_id(index), index, hash))
        level, below = 1, leaves
        while len(below) >= 256:
            below = [root_of(below[start : start + 256]) for start in range(0, len(below) - 255, 256)]
            for index, hash in enumerate(below):
                admin.execute(
                    "INSERT INTO audit_subtree (tenant_id, level, index, hash) VALUES (%s, %s, %s, %s)",
                    [firm.id, level, index, hash],
                )
            level += 1


@pytest.mark.slow
def test_proofs_of_every_kind_of_size_verify() -> None:
    firm, leaves = make_firm("acme"), hashes(LARGEST)
    planted(firm, leaves)
    roots = {size: root_of(leaves[:size]) for size in SIZES}
    most = 0
    with open_scope(tenant=firm.id, reason="a test"):
        assert stored_size() == LARGEST
        assert root_at(0) == EMPTY_ROOT
        for size in SIZES:
            for index in {0, 1, size // 2, size - 1, min(size - 1, 256), max(size - 257, 0)} & set(range(size)):
                with CaptureQueriesContext(connection) as queries:
                    found = inclusion_proof(event_id(index), size=size)
                most = max(most, len(queries))
                assert (found.root, found.index, found.leaf) == (roots[size], index, leaves[index])
                for leaf in (found.leaf, leaf_hash(b"forged")):
                    is_proved = proves_inclusion(leaf=leaf, index=index, size=size, path=found.path, root=roots[size])
                    assert is_proved is (leaf == found.leaf)
        for place, second in enumerate(SIZES):
            for first in SIZES[: place + 1]:
                with CaptureQueriesContext(connection) as queries:
                    proof = consistency_proof(first, second)
                most = max(most, len(queries))
                assert (proof.first_root, proof.second_root) == (roots[first], roots[second])
                assert proves_consistency(
                    first=first, second=second, first_root=roots[first], second_root=roots[second], path=proof.path
                )
    assert most <= 7


def test_the_subtrees_that_a_batch_completes_are_those_of_the_whole_tree() -> None:
    """At the 65,536th leaf two levels end at once."""
    firm, leaves = make_firm("acme"), hashes(65_536)
    planted(firm, leaves)
    with open_scope(tenant=firm.id, reason="a test"):
        made = _completed(firm.id, 65_500, 65_536)
        nothing = _completed(firm.id, 65_281, 65_535)
        aligned = _completed(firm.id, 512, 768)
        several = _completed(firm.id, 300, 1_100)
        many = _completed(firm.id, 65_000, 65_536)
    assert [(row.level, row.index) for row in made] == [(1, 255), (2, 0)]
    assert bytes(made[0].hash) == root_of(leaves[-256:])
    assert [(row.level, row.index) for row in many] == [(1, 253), (1, 254), (1, 255), (2, 0)]
    assert bytes(many[-1].hash) == bytes(made[-1].hash) == root_of(leaves)
    assert nothing == []
    assert [bytes(row.hash) for row in several] == [root_of(leaves[start : start + 256]) for start in (256, 512, 768)]
    assert [(row.level, row.index) for row in aligned] == [(1, 2)]


def test_a_stored_tree_with_a_hole_proves_nothing() -> None:
    firm = baked(make_firm, "acme")
    planted(firm, hashes(600))
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as admin:
        admin.execute("SET session_replication_role = replica")
        admin.execute("DELETE FROM audit_subtree WHERE tenant_id = %s AND index = 1", [firm.id])
    with open_scope(tenant=firm.id, reason="a test"), pytest.raises(MissingNodesError, match="number 1 of level 1"):
        inclusion_proof(event_id(3), size=600)


def test_an_event_is_proved_in_the_newest_checkpoint() -> None:
    firm = baked(make_firm, "acme")
    (event,) = recorded(firm)
    with open_scope(tenant=firm.id, reason="a test"), pytest.raises(NotSealedError):
        inclusion_proof(event.id)
    sealed(firm)
    with open_scope(tenant=firm.id, reason="a test"), pytest.raises(NoCheckpointError):
        inclusion_proof(event.id)
    checkpointed(firm)
    (later,) = recorded(firm)
    sealed(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        found = inclusion_proof(event.id)
        assert found.checkpoint is not None
        assert proves_inclusion(leaf=found.leaf, index=found.index, size=found.size, path=found.path, root=found.root)
        with pytest.raises(NotSealedError):
            inclusion_proof(later.id)
        unsigned = inclusion_proof(later.id, size=stored_size())
        assert (unsigned.checkpoint, unsigned.index) == (None, found.size)


@pytest.mark.parametrize(("first", "second"), [(0, 3), (2, 1), (-1, 2), (1, 10**6), (1, 0)])
def test_sizes_that_are_none_are_refused(first: int, second: int) -> None:
    firm = baked(make_firm, "acme")
    sealed(firm, 3)
    with open_scope(tenant=firm.id, reason="a test"), pytest.raises(SizeUnknownError):
        consistency_proof(first, second)


def test_another_tenants_log_is_not_there() -> None:
    acme, bolt = make_firm("acme"), make_firm("bolt")
    (event,) = recorded(acme)
    sealed(acme)
    checkpointed(acme)
    with open_scope(tenant=bolt.id, reason="a test"):
        assert not Leaf.objects.filter(event_id=event.id).exists()
        with pytest.raises(NotSealedError):
            inclusion_proof(event.id)
