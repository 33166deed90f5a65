"""What stands in a freshly made cluster of the server's release is no residue, where the same stands in ours.

The catalogue names thousands of things. Somebody called Charlie has the stem `charli`, and PostgreSQL a function
`bpcharlike`: without this nobody of that name could be proven erased. So a cluster is made (initdb, in a temporary
folder), and its catalogue is kept, packed, in the state folder, by release. A scan looks into it with its own matcher.
An occurrence of ours is explained, and not counted, only by the whole word that it stands in, `bpcharlike`:

- in a catalogue, where the same word stands in the same catalogue of the fresh cluster;
- in WAL, in other databases' files and in what ANALYZE took from catalogues, where the word is longer than what is
  looked for, or stands between the very bytes that it stands between in the fresh cluster.

Nothing is explained in a table of ours, its TOAST and indexes, in a dump, Redis or a folder: there no catalogue lies.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import subprocess
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from apps.erasure.residue.access import Access
from apps.erasure.residue.carving import PAGE_BYTES, pages_views
from apps.erasure.residue.matching import Matcher
from apps.erasure.residue.places import ByteSource
from config.needs import program_environment
from config.services import Durability
from config.services.account import service_account
from config.services.cluster import Cluster

FOLDER: Final = "baseline"
# Folders of the data directory that hold a catalogue: of the database template1, and of the server.
_CATALOGUES: Final = ("base/1", "global")
_FILE: Final = re.compile(r"(\d+)(?:\.\d+)?")
_LONGEST_WORD: Final = 256
_BEFORE, _AFTER = 4, 16
# In these a catalogue's bytes lie without its name.
_MIXED: Final = frozenset({"WAL", "other databases", "files of no relation", "pg_statistic"})
# Of ASCII the letters, digits and the underscore; of UTF-8 all that may stand in a longer character.
_WORD: Final = bytes(
    byte == 0x5F or (chr(byte).isascii() and chr(byte).isalnum()) or (0x80 <= byte <= 0xF4 and byte not in (0xC0, 0xC1))
    for byte in range(256)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """files: (id of the relation, its file) of a fresh cluster's catalogue. release: as the server says it."""

    release: str
    files: tuple[tuple[int, bytes], ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Word:
    text: bytes
    around: bytes
    is_longer: bool


class Explained:
    """What a baseline explains of the patterns of one matcher."""

    def __init__(self, baseline: Baseline, matcher: Matcher, patterns: list[bytes]) -> None:
        self.release = baseline.release
        self._patterns = patterns
        self._words: dict[tuple[int, int], set[bytes]] = defaultdict(set)
        self._anywhere: dict[int, set[bytes]] = defaultdict(set)
        self._around: dict[int, set[bytes]] = defaultdict(set)
        for relation, content in baseline.files:
            for data in (content, *pages_views([content])):
                for at, number in matcher.find(data):
                    word = _word_at(data, at, len(patterns[number]))
                    self._words[relation, number].add(word.text)
                    self._anywhere[number].add(word.text)
                    self._around[number].add(word.around)

    def explains(self, place: ByteSource, number: int, data: bytes, at: int) -> bool:
        """Whether an occurrence of a pattern at this place of what was read is the catalogue's own."""
        if number not in self._anywhere:
            return False
        if place.catalogue and place.group not in _MIXED:
            word = _word_at(data, at, len(self._patterns[number]))
            return word.text in self._words.get((place.catalogue, number), ())
        if place.group not in _MIXED:
            return False
        word = _word_at(data, at, len(self._patterns[number]))
        return (word.is_longer and word.text in self._anywhere[number]) or word.around in self._around[number]


def baseline_of(access: Access) -> Baseline | None:
    """Of the server's release, made where it was not yet; None where no initdb of that release is at hand.

    Costs: once a release two seconds; later a file of about a megabyte.
    Raises: subprocess.CalledProcessError, ServiceError, OSError: it can't be made.
    """
    if not access.initdb:
        return None
    with access.connect() as connection:
        row = connection.execute("SELECT current_setting('server_version')").fetchone()
    release = str(row[0]).split()[0] if row else ""
    path = (access.baselines or access.home / FOLDER) / f"{release}.catalogue"
    if not path.exists():
        said = subprocess.run(
            [access.initdb, "--version"], env=program_environment(), capture_output=True, text=True, check=True
        ).stdout
        if release not in said.split():
            return None
        _keep(path, _made(Path(access.initdb).parent, release))
    return _opened(path, release)


def _made(programs: Path, release: str) -> Baseline:
    with tempfile.TemporaryDirectory(prefix="glassbox-baseline-") as folder:
        account = service_account(Path(folder))
        account.make_readable(programs.parent)
        home = Path(folder) / "cluster"
        account.own(home)
        account.make_reachable(home)
        cluster = Cluster(path=home / "data", account=account, programs=programs, log=home / "log")
        cluster.prepare(durability=Durability.DISPOSABLE, user=pwd.getpwuid(os.geteuid()).pw_name)
        return Baseline(release=release, files=tuple(_files(cluster.path)))


def _files(cluster: Path) -> Iterator[tuple[int, bytes]]:
    for folder in _CATALOGUES:
        for path in sorted((cluster / folder).iterdir()):
            named = _FILE.fullmatch(path.name)
            if named:
                content = path.read_bytes()
                yield int(named[1]), content[: len(content) // PAGE_BYTES * PAGE_BYTES]


def _keep(path: Path, baseline: Baseline) -> None:
    """Packed, so that the scan of the state folder does not take it for what it looks for."""
    head = json.dumps([[relation, len(content)] for relation, content in baseline.files]).encode()
    packed = zlib.compress(head + b"\n" + b"".join(content for _, content in baseline.files))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}.half")
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(packed)
    half.replace(path)


def _opened(path: Path, release: str) -> Baseline:
    head, _, rest = zlib.decompress(path.read_bytes()).partition(b"\n")
    files, start = [], 0
    for relation, size in json.loads(head):
        files.append((relation, rest[start : start + size]))
        start += size
    return Baseline(release=release, files=tuple(files))


def _word_at(data: bytes, at: int, length: int) -> _Word:
    """The word that `length` bytes at `at` stand in, and with what lies around it."""
    start, end = at, at + length
    while start > max(0, at - _LONGEST_WORD) and _WORD[data[start - 1]]:
        start -= 1
    while end < min(len(data), at + length + _LONGEST_WORD) and _WORD[data[end]]:
        end += 1
    return _Word(
        text=bytes(data[start:end]),
        around=bytes(data[max(0, start - _BEFORE) : end + _AFTER]),
        is_longer=end - start > length,
    )
