"""The one file: written to the byte, read without executing it, and every mistake named with its place."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.kinds import KIND_KEY, Kind, RetentionClass, SourceType
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import (
    FALLBACK_NAME,
    UNRECOGNISED,
    ClassifierSettings,
    FallbackRule,
    GoldenQuestion,
    IntentRule,
    KindBudget,
    OwnTerm,
    PolicySnapshot,
    RecordingMode,
)
from apps.intents.errors import PolicyFileError
from apps.intents.fund_house import FUND_HOUSE
from apps.intents.models import GoldenExample, IntentTerm, PolicyIntent
from apps.intents.models import KindBudget as BudgetRow
from apps.intents.packs import fund_house as defaults
from apps.intents.policy_file import (
    checked_policy_file,
    limits,
    parse_policy_file,
    render_policy_file,
    version_heading,
)
from apps.intents.rendering import policy_sha256
from apps.intents.retrieval_settings import _BOUNDS, RetrievalSettings
from apps.intents.snapshots.content import policy_content, read_content, sort_kinds
from apps.intents.validation import term_problems
from apps.tenants.roles import Role

BASELINE = baseline_snapshot()
FILE = render_policy_file(BASELINE)

TEXT_CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
AWKWARD = st.sampled_from(['"', "'", '"""', "'''", "\\", "\\n", "\n", "\r\n", "\t", " ", "ß", "é", "木", "\u200b", "#"])
WORDS = st.lists(AWKWARD | st.text(TEXT_CHARACTERS, max_size=12), min_size=1, max_size=30).map("".join)


def texts(longest: int) -> st.SearchStrategy[str]:
    return WORDS.map(lambda text: text[:longest]).filter(lambda text: bool(text.strip()))


LONG_TEXTS = texts(300) | st.lists(texts(60), min_size=3, max_size=60).map(" ".join)
KEYS = st.from_regex(KIND_KEY.strip("^$"), fullmatch=True)
MODES = st.sampled_from(list(RecordingMode))
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,39}", fullmatch=True).filter(lambda name: name != FALLBACK_NAME)
NUMBERS = st.floats(min_value=-1e14, max_value=1e14)


def roles() -> st.SearchStrategy[tuple[Role, ...]]:
    return st.sets(st.sampled_from(list(Role))).map(lambda each: tuple(sorted(each)))


@st.composite
def budgets(draw: st.DrawFn) -> KindBudget:
    """A kind of document of anybody's, with whatever its row can hold."""
    key, name = draw(KEYS), draw(texts(80))
    return KindBudget(
        kind=Kind(key, name),
        label=draw(texts(80)),
        cap_chars=draw(st.integers(1, 2**31 - 1)),
        position=1,
        name=name,
        description=draw(st.just("") | LONG_TEXTS),
        examples=tuple(draw(st.lists(texts(200), max_size=4))),
        retention_class=draw(st.sampled_from(list(RetentionClass))),
        source_category=draw(st.sampled_from(list(SourceType))),
        uploaders=draw(roles()),
        correctors=draw(roles()),
        removers=draw(roles()),
        retired=draw(st.booleans()),
    )


@st.composite
def policies(draw: st.DrawFn) -> PolicySnapshot:
    """Whatever the tables can hold, with a real version's number and people."""
    kinds = tuple(draw(budgets()) for _ in range(draw(st.integers(0, 6))))
    kinds = tuple({budget.kind: budget for budget in kinds}.values())
    reach = st.sets(st.sampled_from(kinds)) if kinds else st.just(set())
    known = [budget.kind for budget in kinds]

    def reached() -> tuple[Kind, ...]:
        return sort_kinds([budget.kind for budget in draw(reach)], known)

    intents, examples = [], []
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        terms = draw(st.lists(texts(80), max_size=8, unique=True))
        intents.append(
            IntentRule(
                name=name,
                label=draw(texts(80)),
                description=draw(LONG_TEXTS),
                kinds=reached(),
                recording_mode=draw(MODES),
                terms=tuple(OwnTerm(text=text, decisive=draw(st.booleans())) for text in terms),
            )
        )
        examples += [(text, name) for text in draw(st.lists(texts(500), max_size=4))]
    examples += [(text, UNRECOGNISED) for text in draw(st.lists(texts(500), max_size=4))]
    retrieval = {
        name: draw(st.integers(int(low), int(high)) if isinstance(value, int) else st.floats(low, high))
        for name, value in RetrievalSettings().as_json().items()
        if name in _BOUNDS
        for low, high in [_BOUNDS[name]]
    }
    return PolicySnapshot(
        version_id=UUID(int=7),
        number=7,
        status="active",
        origin="draft",
        author_label=draw(texts(50)),
        approver_label="bob",
        reason="a test",
        valid_from=datetime(2026, 1, 31, tzinfo=UTC),
        valid_to=None,
        intents=tuple(intents),
        fallback=FallbackRule(
            label=draw(texts(80)), description=draw(LONG_TEXTS), kinds=reached(), recording_mode=draw(MODES)
        ),
        examples=tuple(GoldenQuestion(id=UUID(int=1), text=text, intent=intent) for text, intent in examples),
        budgets=tuple(replace(budget, position=position) for position, budget in enumerate(kinds, start=3)),
        total_cap_chars=draw(st.integers(1, 2**31 - 1)),
        classifier=ClassifierSettings(
            neighbours=draw(st.integers(1, 2**15 - 1)),
            **{name: draw(NUMBERS) for name in ClassifierSettings.__dataclass_fields__ if name != "neighbours"},
        ),
        retrieval=draw(
            st.just(RetrievalSettings())
            | st.builds(RetrievalSettings, **{name: st.just(value) for name, value in retrieval.items()})
        ),
    )


def problems(text: str) -> list[str]:
    with pytest.raises(PolicyFileError) as caught:
        checked_policy_file(text, filename="policy.py")
    return [str(problem) for problem in caught.value.data["problems"]]


def place(text: str, *, nth: int = 1) -> str:
    """Line and column of the nth occurrence of a text in the file, as a problem names them."""
    offset = -1
    for _ in range(nth):
        offset = FILE.index(text, offset + 1)
    before = FILE[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - before.rfind(chr(10))}"


def with_terms(*terms: str) -> PolicySnapshot:
    rule = replace(BASELINE.intents[0], terms=tuple(OwnTerm(text=text, decisive=False) for text in terms))
    return replace(BASELINE, intents=(rule, *BASELINE.intents[1:]))


# --- Writing ------------------------------------------------------------------------------------------------------


def test_the_baseline_is_written_exactly_as_it_is_shipped() -> None:
    assert Path(defaults.__file__).read_text(encoding="utf-8") == FILE


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(policies())
def test_what_is_written_says_the_same_when_it_is_read(policy: PolicySnapshot) -> None:
    again = parse_policy_file(version_heading(policy) + render_policy_file(policy), filename="policy.py")
    assert policy_content(again) == policy_content(policy)
    assert policy_sha256(again) == policy_sha256(policy)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(policies())
def test_what_was_read_is_written_to_the_same_bytes(policy: PolicySnapshot) -> None:
    text = render_policy_file(policy)
    assert render_policy_file(parse_policy_file(text, filename="policy.py")) == text


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(policies())
def test_the_file_hides_nothing_from_the_eye(policy: PolicySnapshot) -> None:
    assert all(character.isprintable() for character in render_policy_file(policy).replace("\n", ""))


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(policies())
def test_the_file_means_to_python_what_it_means_to_us(policy: PolicySnapshot) -> None:
    module: dict[str, list[dict[str, object]]] = {}
    exec(render_policy_file(policy), module)  # noqa: S102  the peer that our reading is compared with
    content = policy_content(policy)
    assert [row["description"] for row in module["INTENTS"]] == [row["description"] for row in content["intents"]]
    assert [row["examples"] for row in module["INTENTS"]] == [row["examples"] for row in content["intents"]]
    assert policy_content(read_content({**content, "budgets": module["BUDGETS"]})) == content
    assert module["CLASSIFIER"] == content["classifier"]


def test_no_line_is_longer_than_120_characters_where_it_can_be_broken() -> None:
    rule = replace(BASELINE.intents[0], label="w " * 39, description="many words " * 200, kinds=tuple(FUND_HOUSE))
    budgets = tuple(replace(budget, label="a long heading " * 5) for budget in BASELINE.budgets)
    policy = replace(BASELINE, intents=(rule, *BASELINE.intents[1:]), budgets=budgets)
    assert max(map(len, render_policy_file(policy).splitlines())) <= 120


def test_a_formatter_would_leave_the_file_as_it_is(tmp_path: Path) -> None:
    rule = replace(BASELINE.intents[0], label='The "best"', description="it's so\n" * 60, kinds=tuple(FUND_HOUSE))
    budgets = tuple(replace(budget, label="a long heading " * 5) for budget in BASELINE.budgets)
    file = tmp_path / "policy.py"
    file.write_text(render_policy_file(replace(BASELINE, intents=(rule,), budgets=budgets)), encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "format", "--check", "--line-length", "120", str(file)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_retrieval_settings_are_written_only_where_they_are_not_the_shipped_ones() -> None:
    assert "RETRIEVAL" not in FILE
    changed = render_policy_file(replace(BASELINE, retrieval=RetrievalSettings(mmr_enabled=True)))
    assert '    "mmr_enabled": True,' in changed


def test_the_heading_names_version_people_and_validity() -> None:
    policy = replace(
        BASELINE,
        number=3,
        origin="draft",
        author_label="olivia",
        approver_label="rashid",
        valid_from=datetime(2026, 1, 31, 9, 30, tzinfo=UTC),
        valid_to=datetime(2026, 2, 28, tzinfo=UTC),
    )
    heading = version_heading(policy)
    assert "version 3, in force from 2026-01-31 09:30:00 UTC until 2026-02-28 00:00:00 UTC" in heading
    assert "Author: olivia. Approved by: rashid." in heading.replace("\n# ", " ")
    assert all(line.startswith("# ") for line in heading.splitlines())


def test_the_baseline_and_a_read_file_have_no_heading() -> None:
    assert version_heading(BASELINE) == ""
    assert version_heading(parse_policy_file(FILE, filename="policy.py")) == ""


def test_a_name_with_a_line_break_can_not_write_into_the_file() -> None:
    policy = replace(BASELINE, origin="draft", author_label="eve\nTOTAL_CAP = 1")
    assert all(line.startswith("# ") for line in version_heading(policy).splitlines())


# --- Terms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("term", ["profit, loss", " profit", "profit  loss", "profit\nloss", "profit\u00a0loss"])
def test_a_term_that_commas_could_not_separate_is_kept_to_the_character(term: str) -> None:
    policy = with_terms(term, "run")
    assert parse_policy_file(render_policy_file(policy), filename="policy.py").intents == policy.intents


@pytest.mark.parametrize(
    ("term", "problem"),
    [
        ("profit, loss", "has a comma; make it two terms"),
        (" profit", "write its words with one blank between them"),
        ("profit\nloss", "write its words with one blank between them"),
    ],
)
def test_such_a_term_is_a_problem_in_words(term: str, problem: str) -> None:
    assert [problem in sentence for sentence in term_problems(with_terms("run", term))] == [True]


def test_a_file_with_such_a_term_is_refused_at_its_intent() -> None:
    found = problems(render_policy_file(with_terms("profit, loss")))
    assert found[0].startswith(f"{place('    {')[:-1]}5: The term 'profit, loss' of intent 'performance' has a comma")


def test_the_shipped_terms_have_no_problem() -> None:
    assert list(term_problems(BASELINE)) == []


# --- Reading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        ('"label": "Performance",', '"label": "Performance,', '"Performance",', "can't be read (unterminated string"),
        ("TOTAL_CAP = 16384", "TOTAL_CAPS = 16384", "TOTAL_CAP", 'no block "TOTAL_CAPS"; did you mean "TOTAL_CAP"?'),
        ("TOTAL_CAP = 16384", "FALLBACK = 16384", "TOTAL_CAP", "the block FALLBACK occurs twice; remove one"),
        ('"label": "Performance"', '"lable": "Performance"', '"label": "Perf', 'no key "lable"; did you mean "label"?'),
        ('"label": "Performance"', '"name": "b"', '"label": "Perf', 'the key "name" occurs twice'),
        ('"label": "Performance"', '"label": ["Performance"]', '"Performance"', "the label must be a text in quotes"),
        ('"label": "Performance"', '"label": " "', '"Performance"', "the label is empty; write a text"),
        ('"label": "Performance"', '"label": "\\x00"', '"Performance"', "a character that can't be stored"),
        ('"label": "Performance"', f'"label": "{"x" * 81}"', '"Performance"', "81 characters; shorten it to 80"),
        ('"label": "Performance"', '"label": "Per" + "f"', '"Performance"', "a name is not worked out"),
        ('"label": "Performance"', '"label": f"Perf"', '"Performance"', "a name is not worked out"),
        ('"label": "Performance"', '"label": LABEL', '"Performance"', "a name is not worked out"),
        ('"name": "performance"', '"name": "Performance!"', '"performance"', "lower-case letters, digits and _"),
        ('"name": "performance"', '"name": "unrecognised"', '"performance"', "belongs to FALLBACK"),
        ('"name": "compliance"', '"name": "performance"', '"compliance"', "'performance' is there already; rename"),
        (
            '["fund_profile", "run", ',
            '["fund_profile", "runs", ',
            '"run", ',
            'no kind "runs" in BUDGETS; did you mean "run"?',
        ),
        ('["fund_profile", "run", ', '["fund_profile", 7, ', '"run", ', "a kind must be a text in quotes"),
        ('e", "run", "data', 'e", "fund_profile", "data', '"run", "data', 'the kind "fund_profile" occurs twice'),
        ('["fund_profile", "run", "dataset_summary"]', '"run"', '["fund_profile", "run', "must be a list in square"),
        ('"recording_mode": "hash_only"', '"recording_mode": "hash"', '"hash_only"', 'no recording mode "hash"'),
        ("year to date", "drawdown", '"""drawdown', "the term 'drawdown' occurs twice; remove one"),
        ("year to date", "y" * 81, '"""drawdown', "longer than 80 characters; is a comma missing?"),
        ('"kind": "compliance_profile"', '"kind": "org_profile"', '"compliance_profile",\n', "has a budget already"),
        ('"cap_chars": 4000', '"cap_chars": 4000.5', "4000,", "cap_chars must be a whole number"),
        ('"cap_chars": 4000', '"cap_chars": 0', "4000,", "cap_chars is 0; it must lie between 1 and"),
        ('"cap_chars": 4000', '"cap_chars": True', "4000,", "cap_chars must be a whole number"),
        ('"minimum_score": 0.35', '"minimum_score": "0.35"', "0.35", "minimum_score must be a number"),
        ('"minimum_score": 0.35', '"minimum_score": 1e999', "0.35", "too large"),
        ('"neighbours": 3', '"neighbours": -3', "3,  # the score", "neighbours is -3; it must lie between"),
    ],
)
def test_a_mistake_is_named_with_its_place(old: str, new: str, where: str, problem: str) -> None:
    start = FILE.index(old)
    found = problems(FILE[:start] + new + FILE[start + len(old) :])
    assert any(text.startswith(f"{place(where)}: ") and problem in text for text in found), found


def test_a_missing_block_is_named() -> None:
    assert problems(FILE.replace("TOTAL_CAP = 16384  # characters of context in all\n", "")) == [
        "line 1, column 1: the block TOTAL_CAP is missing; add it (`TOTAL_CAP = ...`)."
    ]


def test_a_missing_key_is_named_at_its_block() -> None:
    start = FILE.index('        "label": "Compliance",\n')
    found = problems(FILE[:start] + FILE[FILE.index("\n", start) + 1 :])
    assert found == [f'{place("    {", nth=2)[:-1]}5: intent 2: the key "label" is missing; add it.']


def test_columns_count_characters_and_not_bytes() -> None:
    found = problems('ÄÖÜ = "ß"; TOTAL_CAP = "viel"')
    assert "line 1, column 24: TOTAL_CAP must be a whole number, such as 800." in found


def test_several_mistakes_are_reported_at_once_in_the_order_of_the_file() -> None:
    broken = FILE.replace('"label": "Compliance",\n        "desc', '"lable": "Compliance",\n        "desc')
    broken = broken.replace("TOTAL_CAP = 16384", "TOTAL_CAP = '16384'").replace('"neighbours": 3', '"neighbours": 3.5')
    found = problems(broken)
    assert [text.split(": ", 1)[1] for text in found] == [
        'intent 2: the key "label" is missing; add it.',
        'intent 2: there is no key "lable"; did you mean "label"?',
        "TOTAL_CAP must be a whole number, such as 800.",
        "CLASSIFIER: neighbours must be a whole number, such as 800.",
    ]


def test_code_in_a_file_is_not_executed_but_refused(tmp_path: Path) -> None:
    trace = tmp_path / "executed"
    code = f"__import__('pathlib').Path({str(trace)!r}).touch()"
    hostile = FILE.replace('"label": "Performance"', f'"label": {code}') + f"\n{code}\nimport os\ndef f(): pass\n"
    found = problems(hostile)
    assert not trace.exists()
    assert sum("nothing is executed here" in text for text in found) == 3
    assert any("the label must be a text" in text for text in found)


@pytest.mark.parametrize(
    "text", ["x = " + "(" * 5000, "x = " + "-" * 50_000 + "1", "\x00", "#" * 1_000_001, "INTENTS = [", "%PDF-1.7", ""]
)
def test_what_is_no_policy_at_all_is_refused_in_words(text: str) -> None:
    assert problems(text)


def test_the_retrieval_block_is_read_and_checked_by_the_line() -> None:
    text = FILE + 'RETRIEVAL = {\n    "rrf_k": 0,\n    "bm25_b": "x",\n    "rrf": 1,\n    "dense_top_k": 2.5,\n}\n'
    first = FILE.count("\n") + 1
    assert problems(text) == [
        f"line {first + 1}, column 14: RETRIEVAL: rrf_k: it must be between 1 and 1000.",
        f"line {first + 2}, column 15: RETRIEVAL: bm25_b must be a number, or True or False.",
        f'line {first + 3}, column 5: RETRIEVAL: there is no key "rrf"; did you mean "rrf_k"?',
        f"line {first + 4}, column 20: RETRIEVAL: dense_top_k: it must be a whole number.",
    ]


def test_some_retrieval_settings_are_enough() -> None:
    policy = checked_policy_file(FILE + 'RETRIEVAL = {"rrf_k": 30}\n', filename="policy.py")
    assert policy.retrieval == RetrievalSettings(rrf_k=30)


def test_whole_numbers_may_stand_for_thresholds() -> None:
    policy = checked_policy_file(FILE.replace('"decisive_points": 2.0', '"decisive_points": 2'), filename="policy.py")
    assert policy_sha256(policy) == policy_sha256(BASELINE)


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_and_byte_order_marks_of_other_editors_are_read(newline: str) -> None:
    policy = checked_policy_file("\ufeff" + FILE.replace("\n", newline), filename="policy.py")
    assert policy_sha256(policy) == policy_sha256(BASELINE)


# --- The check ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        ('["fund_profile", "run", "dataset_summary"]', "[]", "    {", "Intent 'performance' may reach no kind"),
        (
            '"cap_chars": 4800,',
            '"cap_chars": 4800, "uploaders": ["auditor"],',
            '{\n        "kind": "style_sample"',
            "roles that can't",
        ),
        (
            '"cap_chars": 4800,',
            '"cap_chars": 4800, "removers": ["analyst"],',
            '{\n        "kind": "style_sample"',
            "roles that can't propose the removal",
        ),
        ('["org_profile"]', '["org_profile", "run", "schedule", "methodology"]', "FALLBACK:", "more than the 3"),
        ('"term_weight": 0.5', '"term_weight": -0.5', "0.5,  # what", "'term_weight' must not be negative"),
        ('"minimum_golden_accuracy": 0.85', '"minimum_golden_accuracy": 85', "0.85", "must be between 0 and 1"),
        ("Will it rain at the weekend?", "Why was the drawdown so deep?", '"Why was the drawdown so', "more than once"),
    ],
)
def test_what_keeps_a_policy_from_being_used_is_named_with_its_place(
    old: str, new: str, where: str, problem: str
) -> None:
    found = problems(FILE.replace(old, new, 1))
    line = place(where).split(",")[0]
    if where == "    {":
        line = place("    {\n").split(",")[0]
    assert any(text.startswith(f"{line}, ") and problem in text for text in found), found


def test_a_file_that_can_be_read_need_not_be_usable() -> None:
    policy = parse_policy_file(FILE.replace('["fund_profile", "run", "dataset_summary"]', "[]"), filename="policy.py")
    assert policy.intents[0].kinds == ()


def test_the_error_survives_a_worker() -> None:
    with pytest.raises(PolicyFileError) as caught:
        checked_policy_file("", filename="policy.py")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301


def test_the_limits_are_those_of_the_tables() -> None:
    def longest(model: type[PolicyIntent | IntentTerm | GoldenExample | BudgetRow], name: str) -> int | None:
        return model._meta.get_field(name).max_length  # type: ignore[union-attr]

    assert longest(PolicyIntent, "name") == limits.LONGEST_NAME
    assert longest(PolicyIntent, "label") == longest(BudgetRow, "label") == limits.LONGEST_LABEL
    assert longest(IntentTerm, "text") == limits.LONGEST_TERM
    assert longest(GoldenExample, "text") == limits.LONGEST_EXAMPLE
