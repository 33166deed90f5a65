"""What a freshly made cluster holds by itself is no residue; the same word anywhere else is one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest

from apps.erasure.residue.access import Access
from apps.erasure.residue.baseline import FOLDER, baseline_of
from apps.erasure.residue.control import control
from apps.erasure.residue.needles import Needles, make_needles
from apps.erasure.residue.physical import physical_phase
from apps.erasure.residue.places import every_place
from apps.erasure.residue.results import ScanResult
from apps.erasure.residue.scanning import scan
from tests.audit.residue_cluster import running_cluster

pytestmark = pytest.mark.slow

TABLE: Final = "letter"
NAME: Final = "Charlie Peverell-Quast"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Access]:
    with running_cluster() as access:
        with access.connect() as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        yield access


@pytest.fixture
def access(cluster: Access) -> Iterator[Access]:
    """With a table in which somebody is named, as the corpus has it: a text, and its terms."""
    with cluster.connect() as connection:
        connection.execute(f"CREATE TABLE {TABLE} (id int, text text, terms text[])")
        connection.execute(f"CREATE INDEX {TABLE}_terms ON {TABLE} USING gin (terms)")
        connection.execute(f"INSERT INTO {TABLE} VALUES (1, 'Nobody is named.', '{{nobodi}}')")
    yield cluster
    with cluster.connect() as connection:
        connection.execute(f"DROP TABLE {TABLE}")
    assert physical_phase((), access=cluster).complete


def written(access: Access, *words: str) -> None:
    with access.connect() as connection:
        connection.execute(
            f"INSERT INTO {TABLE} VALUES (2, %s, %s)",
            [f"Mr. {' '.join(words)} complains.", [word.lower() for word in words]],
        )
        connection.execute(f"ANALYZE {TABLE}")


def erased(access: Access) -> None:
    with access.connect() as connection:
        connection.execute(f"DELETE FROM {TABLE} WHERE id = 2")


def needles(*names: str, term: str = "charli") -> Needles:
    return make_needles(texts=names, terms_of=lambda _: [term])


def found(access: Access, wanted: Needles) -> ScanResult:
    return scan(wanted, every_place(access))


def test_somebody_called_charlie_is_found_until_erased_and_provable_then(access: Access) -> None:
    wanted = needles(NAME)
    written(access, NAME, "charli")
    before = control(wanted, every_place(access))
    assert before.proves, before.as_json()
    assert {"heap", "index (gin)", "WAL", "dump"} <= before.scan.by_group().keys()
    assert "catalogue" not in before.scan.by_group()
    # The row is dead: no query sees it, and its bytes are where they were.
    erased(access)
    dead = found(access, wanted)
    assert {"heap", "WAL"} <= dead.by_group().keys()
    assert dead.found == wanted.looked_for(), "the stem alone is found in a page of ours"
    assert physical_phase([TABLE], access=access).complete
    after = found(access, wanted)
    assert after.clean, after.as_json()
    assert after.explained > 0
    # What would be said without the comparison: nobody of that name could ever be proven erased.
    blind = found(replace(access, initdb=""), wanted)
    assert "catalogue" in blind.by_group()
    assert any("no new cluster" in each for each in blind.unreachable)


def test_the_stem_alone_is_found_in_a_table_of_ours_its_index_and_the_log(access: Access) -> None:
    """Needle and catalogue's word begin alike, and no other needle would tell."""
    wanted = make_needles(texts=["charli"])
    written(access, "charli")
    erased(access)
    assert {"heap", "WAL"} <= found(access, wanted).by_group().keys()
    # Also as part of the very word that the catalogue has: a table is no catalogue.
    assert physical_phase([TABLE], access=access).complete
    assert found(access, wanted).clean
    with access.connect() as connection:
        connection.execute(f"INSERT INTO {TABLE} VALUES (2, 'bpcharlike', NULL)")
    erased(access)
    assert physical_phase((), access=access).complete  # WAL is turned over, the table is not written anew
    assert found(access, wanted).by_group().keys() == {"heap"}


def test_somebodys_name_in_a_thing_of_the_catalogue_that_is_not_its_own_is_found(access: Access) -> None:
    wanted = needles(NAME)
    with access.connect() as connection:
        connection.execute("CREATE FUNCTION charlie_peverell() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    assert "catalogue" in found(access, wanted).by_group()
    with access.connect() as connection:
        connection.execute("DROP FUNCTION charlie_peverell()")
        connection.execute("VACUUM FULL pg_proc")
        connection.execute("VACUUM FULL pg_depend")


def test_a_name_that_is_a_word_of_the_catalogue_itself(access: Access) -> None:
    """`public` is a schema, and may be somebody's name."""
    wanted = make_needles(texts=["public"])
    written(access, "public")
    erased(access)
    assert {"heap", "WAL"} <= found(access, wanted).by_group().keys()


def test_other_databases_of_the_server_have_the_catalogue_too(access: Access) -> None:
    wanted = needles(NAME)
    whole = replace(access, whole_server=True)
    assert found(whole, wanted).clean
    assert "other databases" in found(replace(whole, initdb=""), wanted).by_group()


def test_it_is_made_once_a_release_and_is_its_owners_alone(access: Access) -> None:
    first = baseline_of(access)
    assert first is not None
    path = access.home / FOLDER / f"{first.release}.catalogue"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_size < 4_000_000
    made = path.stat().st_mtime_ns
    again = baseline_of(access)
    assert again is not None
    assert again.files == first.files
    assert path.stat().st_mtime_ns == made
    assert b"bpcharlike" not in path.read_bytes(), "the scan of the folder would find it"
