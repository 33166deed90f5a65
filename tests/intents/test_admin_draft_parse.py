"""What the editor's post becomes: a policy, or complaints beside the fields. No database, and no belief in the post."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.kinds import Kind, RetentionClass
from apps.intents.admin.draft.fields import FALLBACK, fields_of, with_new_intent, with_new_kind
from apps.intents.admin.draft.parse import ParsedDraft, parse_draft
from apps.intents.admin.draft.post import fields_from
from apps.intents.admin.draft.problems import by_part, placed_problems
from apps.intents.admin.draft.rows import field_title
from apps.intents.admin.draft.settings import RETRIEVAL, THRESHOLDS, Setting
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import UNRECOGNISED, KindBudget, PolicySnapshot, RecordingMode
from apps.intents.diff import policy_diff
from apps.intents.fund_house import FUND_HOUSE, FundHouse
from apps.intents.retrieval_settings import retrieval_settings_from_json
from apps.intents.snapshots.content import policy_content
from apps.intents.validation import policy_problems
from apps.tenants.admin.read import number_read
from apps.tenants.roles import Role
from tests.intents.drafting import Typed

BASELINE = replace(baseline_snapshot(), reason="A reason.")
FORM = Typed.from_fields(fields_of(BASELINE))


def parsed(typed: Typed) -> ParsedDraft:
    return parse_draft(fields_from(typed.post), BASELINE)


def content(typed: Typed) -> PolicySnapshot:
    found = parsed(typed)
    assert found.content is not None, found.errors
    return found.content


def said(typed: Typed, field: str) -> str:
    """The complaint beside a field; nothing may be stored then."""
    found = parsed(typed)
    assert found.content is None
    return " ".join(found.errors.get(field, ()))


def faults(typed: Typed) -> str:
    assert parsed(typed).content is None
    return " ".join(fields_from(typed.post).faults)


def changes(typed: Typed) -> tuple[str, ...]:
    return policy_diff(BASELINE, content(typed)).sentences


def test_an_untouched_form_changes_nothing() -> None:
    assert policy_content(content(FORM)) == policy_content(BASELINE)


def test_ticks_become_kinds_in_the_order_of_the_enumeration() -> None:
    made = content(FORM.with_(kind__i1=["schedule", "run", "org_profile"]))
    assert made.intents[0].kinds == (FundHouse.ORG_PROFILE, FundHouse.RUN, FundHouse.SCHEDULE)


def test_an_intent_without_a_tick_is_kept_and_named_as_a_problem() -> None:
    assert "may reach no kind" in " ".join(policy_problems(content(FORM.without("kind-i1"))))


def test_an_example_moves_to_another_intent() -> None:
    owners = ["i2", *FORM.values["example-of"][1:]]
    assert changes(FORM.with_(example__of=owners))[0].startswith(
        "A review example moved from Performance to Compliance"
    )


def test_an_emptied_line_is_an_example_or_term_removed() -> None:
    made = content(FORM.with_(example=["", *FORM.values["example"][1:]], term__i1=[*FORM.values["term-i1"][:-1], " "]))
    assert len(made.examples) == len(BASELINE.examples) - 1
    assert made.intents[0].terms == BASELINE.intents[0].terms[:-1]


def test_a_term_is_made_decisive() -> None:
    weights = ["supporting", *FORM.values["weight-i1"][1:]]
    assert "no longer decisive" in changes(FORM.with_(weight__i1=weights))[0]


def test_an_intent_is_removed_with_its_examples_and_what_is_wrong_in_it_is_no_matter() -> None:
    made = content(FORM.with_(remove__i1="on", name__i1="", label__i1=""))
    assert [rule.name for rule in made.intents] == [rule.name for rule in BASELINE.intents[1:]]
    assert not [example for example in made.examples if example.intent == "performance"]


def test_a_new_intent_gets_a_key_of_its_own_and_is_stored_once_it_is_named() -> None:
    fields = with_new_intent(fields_of(BASELINE))
    assert fields.intents[-1].key == "i6"
    typed = Typed.from_fields(fields)
    assert "short name" in said(typed, "name-i6")
    made = content(typed.with_(name__i6="costs", label__i6="Costs", kind__i6=["fund_profile"]))
    assert (made.intents[-1].name, made.intents[-1].kinds) == ("costs", (FundHouse.FUND_PROFILE,))
    assert "'costs' has 0 review examples" in " ".join(policy_problems(made))


def test_counter_examples_and_the_recording_of_the_fallback_are_kept() -> None:
    made = content(FORM.with_(recording__fallback="encrypted_text").and_(example=["A joke?"], example__of=[FALLBACK]))
    assert made.fallback.recording_mode is RecordingMode.ENCRYPTED_TEXT
    assert "A joke?" in [each.text for each in made.examples if each.intent == UNRECOGNISED]


def test_blanks_and_line_breaks_within_a_line_are_tidied() -> None:
    made = content(FORM.with_(label__i1="  Our\r\n  performance "))
    assert made.intents[0].label == "Our performance"


def test_html_is_text_like_any_other() -> None:
    made = content(FORM.with_(description__i1="<script>alert(1)</script>"))
    assert made.intents[0].description == "<script>alert(1)</script>"


# --- Budgets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "place", "expected"),
    [
        ("fund_profile", "1", ["fund_profile", "org_profile", "compliance_profile", "methodology", "style_sample"]),
        ("org_profile", "3", ["compliance_profile", "methodology", "org_profile", "fund_profile", "style_sample"]),
        ("org_profile", "1", ["org_profile", "compliance_profile", "methodology", "fund_profile", "style_sample"]),
    ],
)
def test_without_the_script_a_kind_moves_by_its_number_alone(kind: str, place: str, expected: list[str]) -> None:
    made = content(FORM.with_(**{f"position__{kind}": place}))
    assert [budget.kind for budget in made.budgets][:5] == expected
    assert [budget.position for budget in made.budgets] == list(range(1, 11))


def test_a_kind_without_heading_and_cap_is_not_stored() -> None:
    typed = FORM.with_(heading__run="", cap__run="")
    assert "Enter a heading" in said(typed, "heading-run")
    assert "whole number" in said(typed, "cap-run")


def test_a_kind_that_is_added_described_and_ticked_is_in_the_policy() -> None:
    fields = with_new_kind(fields_of(BASELINE), "loan_file")
    typed = Typed.from_fields(fields).with_(
        heading__loan_file="Loan files",
        cap__loan_file="900",
        called__loan_file="Loan file",
        about__loan_file="What a borrower handed in.",
        samples__loan_file="Pay slip\n\n Land register  extract ",
        class__loan_file="client_record",
        source__loan_file="internal",
        uploader__loan_file=["tenant_admin"],
        corrector__loan_file=["analyst"],
        remover__loan_file=["dpo"],
        kind__i1=["run", "loan_file"],
    )
    made = content(typed)
    assert made.budgets[-1] == KindBudget(
        kind=Kind("loan_file"),
        name="Loan file",
        label="Loan files",
        cap_chars=900,
        position=11,
        description="What a borrower handed in.",
        examples=("Pay slip", "Land register extract"),
        retention_class=RetentionClass.CLIENT_RECORD,
        uploaders=(Role.TENANT_ADMIN,),
        correctors=(Role.ANALYST,),
        removers=(Role.DPO,),
    )
    assert made.intents[0].kinds == ("run", "loan_file")
    assert policy_problems(made) == ()
    sentences = " ".join(policy_diff(BASELINE, made).sentences)
    assert "There is a new kind of document, Loan file" in sentences
    assert "and analysts may correct its documents, and data protection officers may propose" in sentences
    assert "Performance can now reach Loan file." in sentences


def test_a_kind_is_renamed_and_retired_and_keeps_its_key() -> None:
    made = content(FORM.with_(called__run="Reporting runs", retired__run="1", uploader__run=["analyst"]))
    run = next(budget for budget in made.budgets if budget.kind == "run")
    assert (run.name, run.kind.label, run.retired) == ("Reporting runs", "Reporting runs", True)
    assert [change.sentence for change in policy_diff(BASELINE, made).changes] == [
        "Reporting runs may now be uploaded by analysts.",
        "Reporting runs is retired: nothing more is uploaded as such, and its documents stay.",
        "Past runs is now called “Reporting runs”; its documents keep their key.",
    ]


def test_a_kind_that_is_left_out_is_unticked_everywhere() -> None:
    made = content(FORM.with_(leave__run="1"))
    assert "run" not in made.kinds
    assert not any("run" in rule.kinds for rule in made.reaches)


def test_a_form_without_a_kind_of_the_draft_did_not_arrive_completely() -> None:
    typed = FORM.with_(budget=[kind.value for kind in FUND_HOUSE if kind != FundHouse.RUN])
    assert "did not arrive completely" in " ".join(fields_from(typed.post, BASELINE.kinds).faults)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("class__run", "for_ever"),
        ("source__run", "hearsay"),
        ("uploader__run", "everybody"),
        ("corrector__run", "everybody"),
        ("remover__run", "everybody"),
    ],
)
def test_a_choice_that_is_not_offered_is_refused(field: str, value: str) -> None:
    assert "those that are offered" in said(FORM.with_(**{field: value}), field.replace("__", "-"))


@pytest.mark.parametrize(
    "cap", ["", "0", "-5", "many", "1e3", "8 00", "99999999999999999999", "\uff11\uff12", "1.5", "0x10"]
)
def test_a_cap_that_is_no_number_of_characters_is_refused_beside_its_field(cap: str) -> None:
    assert "number" in said(FORM.with_(cap__run=cap), "cap-run")


def test_a_heading_is_wanted_where_there_is_a_cap() -> None:
    assert "heading" in said(FORM.with_(heading__run=""), "heading-run")


# --- Numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["", "half", "nan", "inf", "-inf", "1e99", "0,35", "1" * 400, "--1", "1e400"])
def test_a_threshold_that_can_t_be_read_is_refused_beside_its_field(typed: str) -> None:
    assert "number" in said(FORM.with_(setting__minimum_score=typed), "setting-minimum_score")


@pytest.mark.parametrize(
    "setting", [each for each in (*THRESHOLDS, *RETRIEVAL) if not each.switch], ids=lambda s: s.name
)
def test_a_number_is_taken_up_to_its_bounds_and_not_beyond(setting: Setting) -> None:
    field = f"setting-{setting.name}"
    for bound in (setting.low, setting.high):
        made = content(FORM.with_(**{field: f"{bound:g}"}))
        assert retrieval_settings_from_json(made.retrieval.as_json()) == made.retrieval
    assert "from" in said(FORM.with_(**{field: f"{setting.high + 1:g}"}), field)


def test_a_switch_is_on_where_it_is_ticked() -> None:
    assert not BASELINE.retrieval.mmr_enabled
    assert content(FORM.with_(setting__mmr_enabled="on")).retrieval.mmr_enabled


@given(st.floats(min_value=-1, max_value=10))
@settings(deadline=None, max_examples=50)
def test_a_number_is_shown_as_it_is_read_back(score: float) -> None:
    shown = fields_of(replace(BASELINE, classifier=replace(BASELINE.classifier, minimum_score=score)))
    assert content(FORM.with_(setting__minimum_score=shown.settings["minimum_score"])).classifier.minimum_score == score


# --- What can't be stored -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("name-i1", "", "Enter a short name for the intent"),
        ("name-i1", "Fund Costs", "lower-case letters"),
        ("name-i1", "p" * 41, "at most 40 are allowed"),
        ("name-i1", "compliance", "Another intent has this short name"),
        ("name-i1", "unrecognised", "reserved for questions"),
        ("label-i1", " ", "Enter the name"),
        ("label-fallback", "", "Enter the name"),
        ("label-i1", "p" * 81, "at most 80 are allowed"),
        ("label-i1", "a\0b", "can't be stored"),
        ("description-i1", "a\0b", "can't be stored"),
        ("description-i1", "p" * 4001, "at most 4,000 are allowed"),
        ("recording-i1", "everything", "Choose what is kept"),
        ("recording-fallback", "", "Choose what is kept"),
        ("reason", "", "Say why"),
        ("reason", "\0", "can't be stored"),
        ("total_cap", "", "whole number"),
        ("total_cap", "9" * 12, "from 0 to 10,000,000"),
        ("position-run", "first", "whole number"),
    ],
)
def test_what_can_t_be_stored_is_told_beside_its_field(field: str, value: str, complaint: str) -> None:
    assert complaint in said(FORM.with_(**{field: value}), field)


@pytest.mark.parametrize(
    ("example", "complaint"), [("q" * 501, "at most 500 are allowed"), ("a\0b", "can't be stored"), ("same", "")]
)
def test_an_example_that_can_t_be_stored_is_told_beside_it(example: str, complaint: str) -> None:
    first = BASELINE.examples[0].text
    typed = FORM.and_(example=[first if example == "same" else example], example__of=["i1"])
    assert (complaint or "twice") in said(typed, f"example-i1-{FORM.values['example-of'].count('i1')}")


def test_the_same_example_in_two_intents_can_be_stored_and_is_a_problem() -> None:
    typed = FORM.and_(example=[BASELINE.examples[0].text], example__of=["i2"])
    fields = fields_from(typed.post)
    placed = by_part(placed_problems(policy_problems(content(typed)), fields))
    assert "occurs more than once" in " ".join(placed["intent-i2"])


def test_a_term_twice_in_an_intent_is_told_beside_it() -> None:
    typed = FORM.and_(term__i1=[BASELINE.intents[0].terms[0].text], weight__i1=["supporting"])
    assert "twice" in said(typed, f"term-i1-{len(BASELINE.intents[0].terms)}")


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        (Typed({}), "did not arrive completely"),
        (FORM.without("intent"), "did not arrive completely"),
        (FORM.without("budget"), "did not arrive completely"),
        (FORM.without("weight-i1"), "did not arrive completely"),
        (FORM.without("example-of"), "did not arrive completely"),
        (FORM.with_(kind__i1=["run", "everything"]), "does not exist"),
        (FORM.and_(budget=["Every thing"]), "does not exist"),
        (FORM.and_(budget=["run"]), "twice"),
        (FORM.and_(intent=["i1"]), "twice"),
        (FORM.and_(example=["Whose?"], example__of=["i77"]), "names an intent"),
        (FORM.and_(example=["Whose?"], example__of=["i1'\"><script>"]), "names an intent"),
        (FORM.with_(intent=["../../etc", "<script>"]), "did not arrive completely"),
        (FORM.with_(intent=[f"i{number}" for number in range(1, 200)]), "More than 30 intents"),
        (FORM.and_(term__i1=[f"t{n}" for n in range(2500)], weight__i1=["decisive"] * 2500), "More than 2000 terms"),
    ],
)
def test_a_post_that_no_page_sends_stores_nothing_and_says_why(typed: Typed, complaint: str) -> None:
    assert complaint in faults(typed)


def test_five_thousand_examples_are_refused_in_words_and_still_there() -> None:
    typed = FORM.and_(example=[f"Question {n}?" for n in range(5000)], example__of=["i1"] * 5000)
    assert "More than 1000 review examples" in faults(typed)
    assert len(fields_from(typed.post).intents[0].examples) > 5000


@pytest.mark.parametrize(("sent", "read"), [("7", 7), ("", 0), ("-1", 0), ("9" * 30, 0), ("x", 0), ("\0", 0)])
def test_a_revision_that_no_page_sends_is_none_that_a_draft_has(sent: str, read: int) -> None:
    assert number_read(FORM.with_(revision=sent).post) == read


@given(
    st.dictionaries(
        st.sampled_from([*FORM.values, "remove-i1", "kind-i99", "csrf"]),
        st.lists(st.text(max_size=20) | st.sampled_from(["i1", "run", "on", "1"]), max_size=4),
        max_size=8,
    )
)
@settings(deadline=None, max_examples=150)
def test_no_post_breaks_the_reading_and_what_it_gives_can_be_stored(changed: dict[str, list[str]]) -> None:
    found = parsed(Typed({**FORM.values, **changed}))
    if found.content is None:
        return
    policy_problems(found.content)
    assert "\0" not in repr(policy_content(found.content))
    assert retrieval_settings_from_json(found.content.retrieval.as_json()) == found.content.retrieval
    for rule in found.content.intents:
        texts = [each.text for each in found.content.examples if each.intent == rule.name]
        assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("field", "title"),
    [
        ("cap-run", "Past runs"),
        ("example-i1-3", "Performance"),
        ("label-fallback", "Unrecognised"),
        ("setting-rrf_k", "Fusing the two searches"),
        ("total_cap", "Characters in all"),
        ("reason", "Reason"),
    ],
)
def test_a_complaint_apart_from_its_field_says_what_it_belongs_to(field: str, title: str) -> None:
    assert field_title(field, fields_of(BASELINE)) == title


# --- Where a problem belongs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        (FORM.without("kind-i1"), "intent-i1"),
        (FORM.with_(kind__fallback=[kind.value for kind in FUND_HOUSE]), "intent-fallback"),
        (FORM.with_(uploader__methodology=["auditor"]), "budget-methodology"),
        (FORM.with_(corrector__methodology=["dpo"]), "budget-methodology"),
        (FORM.with_(remover__methodology=["analyst"]), "budget-methodology"),
        (FORM.with_(total_cap="0"), "part-budgets"),
        (FORM.with_(remove__i1="on"), "part-matrix"),
        (FORM.and_(term__i2=["why, then"], weight__i2=["decisive"]), "intent-i2"),
    ],
)
def test_a_problem_stands_beside_its_part(typed: Typed, part: str) -> None:
    problems = placed_problems(policy_problems(content(typed)), fields_from(typed.post))
    assert part in [problem.part for problem in problems]


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("The cap of 'methodology' is larger than the total cap.", "budget-methodology"),
        ("Nobody can reach the intent 'compliance': its kinds have no context budget.", "intent-i2"),
        ("The minimum accuracy must be between 0 and 1.", "part-minimum_golden_accuracy"),
        ("The setting 'term_weight' must not be negative.", "part-term_weight"),
        ("Something else is wrong.", ""),
    ],
)
def test_a_sentence_tells_its_part(sentence: str, part: str) -> None:
    (problem,) = placed_problems([sentence], fields_of(BASELINE))
    assert problem.part == part
