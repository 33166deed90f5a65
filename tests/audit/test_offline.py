"""The offline verifier by itself: its own Ed25519, its own tree, what it reads and refuses."""

from __future__ import annotations

import ast
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from apps.audit.canonical import canonical_bytes
from apps.audit.log.notes import Checkpoint, SigningKey, signed
from apps.audit.log.tree import root_of
from apps.audit.verify import offline
from apps.audit.verify.tree import ARITY, GrowingTree
from apps.erasure.certificate import offline as certificate_offline

SOURCE = Path(offline.__file__)
# RFC 8032, section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize("source", [SOURCE, Path(certificate_offline.__file__)])
def test_it_imports_the_standard_library_alone(source: Path) -> None:
    tree = ast.parse(source.read_text(encoding="utf-8"), feature_version=(3, 9))
    names = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "."]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= sys.stdlib_module_names
    assert "argparse" in names


def test_nothing_of_the_application_imports_it() -> None:
    """It is the second opinion: what both got from one place would prove nothing."""
    apps = SOURCE.parents[2]
    users = [
        path.name
        for path in apps.rglob("*.py")
        if path.name != "offline.py"
        and re.search(r"(verify|certificate)\.offline|import offline", path.read_text(encoding="utf-8"))
    ]
    assert users == []


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_signatures_of_rfc_8032_verify(public: str, message: str, signature: str) -> None:
    assert offline.ed25519_verifies(bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature))


def test_a_signature_is_refused_after_any_change() -> None:
    chosen = random.Random(5)
    key = Ed25519PrivateKey.from_private_bytes(chosen.randbytes(32))
    public, message = key.public_key().public_bytes_raw(), b"the log's first 7 leaves"
    signature = key.sign(message)
    assert offline.ed25519_verifies(public, message, signature)
    for place in chosen.sample(range(64 * 8), 40):
        changed = bytearray(signature)
        changed[place // 8] ^= 1 << place % 8
        assert not offline.ed25519_verifies(public, message, bytes(changed))
    assert not offline.ed25519_verifies(public, message + b" ", signature)
    assert not offline.ed25519_verifies(bytes(32), message, signature)
    # The same point, its scalar not reduced: malleable, and refused (RFC 8032, section 5.1.7).
    scalar = int.from_bytes(signature[32:], "little") + offline._L
    assert not offline.ed25519_verifies(public, message, signature[:32] + scalar.to_bytes(32, "little"))


def test_notes_of_the_application_are_opened_and_those_of_others_are_not() -> None:
    key, other = (SigningKey(name=name, seed=seed * 32) for name, seed in (("log1", b"a"), ("log1", b"b")))
    state = Checkpoint(origin="glassbox/audit/x", size=7, root=b"r" * 32)
    known = [offline.parsed_key(key.verify_key.line())]
    found = offline.opened_note(signed(state, key), known)
    assert (found.origin, found.size, found.root) == (state.origin, state.size, state.root)
    with pytest.raises(ValueError, match="no known key"):
        offline.opened_note(signed(state, other), known)
    with pytest.raises(ValueError, match="does not fit the text"):
        offline.opened_note(signed(state, key).replace("\n7\n", "\n8\n"), known)
    with pytest.raises(offline.UnusableError):
        offline.parsed_key(key.verify_key.line().replace("log1", "log2"))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 255, 256, 257, 600, 1024, 65_537])
def test_both_trees_agree_with_rfc_6962(size: int) -> None:
    leaves = [index.to_bytes(32, "big") for index in range(size)]
    theirs, ours = offline.Tree(), GrowingTree()
    for leaf in leaves:
        theirs.append(leaf)
    ours.extend(leaves)
    assert theirs.root() == ours.root == root_of(leaves)
    assert theirs.subtrees == ours.subtrees
    assert len(ours.subtrees) == size // ARITY + size // ARITY**2
    for (level, index), hash in list(ours.subtrees.items())[-3:]:
        assert hash == root_of(leaves[index * ARITY**level : (index + 1) * ARITY**level])


def test_headers_are_rendered_as_the_application_renders_them() -> None:
    header = {"b": None, "a": 'q"\\\x01\x7f\u2028é😀', "scope_ids": ["2", "1"]}
    assert offline.canonical(header) == canonical_bytes(header)
    others: tuple[dict[str, object], ...] = ({"a": 1}, {"a": {}}, {"a": [1]}, {"a": True})
    for other in others:
        with pytest.raises(ValueError, match="texts alone"):
            offline.canonical(other)
    with pytest.raises(UnicodeEncodeError):
        offline.canonical({"a": "\ud800"})


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', "NaN", "[" * 100_000])
def test_json_that_could_be_read_in_two_ways_is_not_read(text: str) -> None:
    with pytest.raises(ValueError):
        offline.parsed(text)


def test_what_is_no_export_ends_with_two_and_says_so(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.zip"):
        found = subprocess.run([sys.executable, "-I", SOURCE, path], capture_output=True, text=True, check=False)
        assert found.returncode == 2
        assert "could not be checked" in found.stderr
