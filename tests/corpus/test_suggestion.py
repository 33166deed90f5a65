"""Which kind is suggested for a file: by words alone, always the same, with what speaks for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apps.corpus.kinds import DocumentType, Kind
from apps.corpus.registry import KindInForce
from apps.corpus.suggestion import FileSigns, beginning_of, suggest_kinds
from apps.intents.baseline import baseline_snapshot
from apps.intents.kinds import kinds_of
from apps.intents.packs.catalogue import PACKS, sample_documents

ALL = kinds_of(baseline_snapshot(tuple(PACKS)))
COMPANIES = kinds_of(baseline_snapshot(("fund_house", "company_research")))
ALL_SAMPLES = [(pack, each.kind, each.file) for pack in PACKS for each in sample_documents(pack)]
SAMPLES = [(kind, file) for _, kind, file in ALL_SAMPLES if file.stem == kind]


def first(signs: FileSigns, kinds: tuple[KindInForce, ...] = ALL) -> Kind | None:
    found = suggest_kinds(signs, kinds)
    return found[0].kind if found else None


def test_each_sample_document_gets_its_kind_among_those_of_all_packs() -> None:
    found = {
        file.name: first(FileSigns(filename=file.name, beginning=beginning_of(file.read_bytes())))
        for _, file in SAMPLES
    }
    assert found == {file.name: kind for kind, file in SAMPLES}


def test_most_sample_documents_are_told_by_their_words_alone() -> None:
    signs = [(kind, FileSigns(filename="scan_0012.md", beginning=beginning_of(f.read_bytes()))) for kind, f in SAMPLES]
    assert sum(first(each) == kind for kind, each in signs) >= 0.85 * len(signs)


def test_a_sample_document_that_is_not_called_as_its_kind_seldom_gets_another() -> None:
    """Of these 80, 45 get their kind, 29 none, and 6 another of their pack."""
    given = {
        file.name: (kind, first(FileSigns(filename=file.name, beginning=beginning_of(file.read_bytes())), kinds))
        for pack in PACKS
        for kinds in (kinds_of(baseline_snapshot((pack,))),)
        for own, kind, file in ALL_SAMPLES
        if own == pack and file.stem != kind
    }
    assert sum(found not in (kind, None) for kind, found in given.values()) <= 0.1 * len(given)
    assert sum(found == kind for kind, found in given.values()) >= 0.5 * len(given)


@pytest.mark.parametrize(
    ("form", "kind"), [(DocumentType.FORM_10K, "annual_report"), (DocumentType.FORM_10Q, "quarterly_report")]
)
def test_a_form_speaks_for_its_kind(form: DocumentType, kind: str) -> None:
    (best, *_) = suggest_kinds(FileSigns(filename="x1.pdf", document_type=form), COMPANIES)
    assert best.kind == kind
    assert best.why[0].startswith("Its form has ")


def test_what_speaks_for_a_kind_is_said_by_place() -> None:
    signs = FileSigns(filename="fund-profile.md", beginning="# Fees\n\nThe benchmark of this fund is an index.")
    (best, *_) = suggest_kinds(signs, COMPANIES)
    assert (best.kind, best.name) == ("fund_profile", "Fund profiles")
    assert best.why == (
        "Its file name has “fund”, “profile”",
        "A heading has “fees”",
        "Its first words have “benchmark”",
    )


@pytest.mark.parametrize("name", ["scan_0012.pdf", "IMG 4711.pdf", "x.txt", ""])
def test_nothing_is_suggested_where_nothing_speaks(name: str) -> None:
    assert suggest_kinds(FileSigns(filename=name), ALL) == ()
    assert suggest_kinds(FileSigns(filename="fund-profile.md"), ()) == ()


def test_a_retired_kind_is_never_suggested() -> None:
    signs = FileSigns(filename="fund-profile.md")
    assert first(signs, COMPANIES) == "fund_profile"
    retired = tuple(replace(each, retired=each.kind == "fund_profile") for each in COMPANIES)
    assert first(signs, retired) != "fund_profile"


def test_it_is_the_same_whatever_the_order_of_the_kinds() -> None:
    signs = FileSigns(filename="policy.md", beginning="# Claims\n\nFraud and reserves of a claim.")
    assert suggest_kinds(signs, ALL) == suggest_kinds(signs, tuple(reversed(ALL)))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"%PDF-1.7 fund profile", ""),
        (b"PK\x03\x04fund", ""),
        (b"fund\x00profile", ""),
        (b"<h1>Fund</h1>", " Fund "),
        (b"\xff fund", "\ufffd fund"),
        (b"", ""),
    ],
)
def test_only_text_is_looked_into(content: bytes, text: str) -> None:
    assert beginning_of(content) == text
