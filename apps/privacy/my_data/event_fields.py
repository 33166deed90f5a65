"""Which event fields a person's package shows. A field in none of these lists is not shown, and a test fails on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Any, Final

from apps.audit.registry import Group, event_classes
from apps.privacy.my_data.contracts import ANOTHER_PERSON, YOU, Person

_JUST_SO: Final = (
    # Questions and their results.
    "core: intent intent_score intent_margin policy_version policy_version_id recording_mode permitted_kinds "
    "withheld_kinds relaxed_filters excluded embedding rewording generator model degradations elapsed_ms stage_ms "
    "answer_outcome relevance profile_rules earlier_questions "
    "length_chars code typed equal intent_equal kinds_equal context_equal hits limits verdict asked_about instant "
    # Checks of a text.
    "claims sentences verdicts intents facts_read searches tolerance "
    # Requests to a model for it.
    "calls profile region purpose attempt timeout_seconds first_byte_ms input_tokens output_tokens price cost currency "
    "deadline",
    # Documents, jobs and policies, by ids, counts and codes.
    "core: kind series_id version document_type source_type byte_size page_count chunk_count status stage attempts "
    "embedding_profile embedding_model generation_profile superseded_by redacted_id corrected_by job_id pages passages "
    "fields error_code sent_bytes number origin revision effective_from valid_from superseded_number comment_id "
    "approval_id "
    "about_intent about_kind answers turn waits_days escalated "
    "base_number recorded evaluation golden changed_settings stage_settings terms_version terms_version_before",
    # Access, the tenant and the log.
    "core: research_mode run_state step_kind step_outcome question_event ordinal round rounds steps searches tokens "
    "confidence scores narrowed stopped_by sub_questions searches_most tokens_most removed_questions reworded",
    "core: role scope_id scope_ids parent_id slug residency_region residency_strict is_active password_reset table "
    "first last step rows questions format events reader_kind contents size night state leaves checkpoint_size "
    "finding_count totals duration_ms kek_id rewrapped categories unreached_events limit failures seconds "
    "invitation_id awaits_confirmation by_operator recovery_code actions delivery_id event_id waiting error",
    # Who could reach what, and recertifications.
    "core: mode since until roles policy_versions log_size recertification_id grant_id grants due_at ended undecided "
    "late is_late is_overdue",
    # Work on privacy: references, states and counts; for a search only how many details were known, never the details.
    "core: reference before subject_type due_on run_id letter_id letter_kind delivery names aliases emails phones "
    "ibans accounts words texts missing_scopes removals reason_code rejection_code origin_id targets grounds removed "
    "retained remaining store items documents event_groups still_held still_restricted because because_id review_on "
    "review_on_before may_remove must_remove counted_for reach kept part is_last "
    "inventory_id certain confirmed cleared decision treatment document_id at_once places unreadable through told_by "
    "keys residue stayed joined proof run end_event package_id quoted left_out hidden expires_at",
    # A database that was restored from a backup.
    "core: backup_id exported_origin exported_size exported_root opened restoration unsealed",
    "question: length_chars intent_reason text given_filters",
    "answer: refusal grounding repair context_chars",
    "passages: context_chars",
)
# Ids and names of people: "you", or "another person".
_PEOPLE: Final = (
    "core: user_id person_id membership_id api_key_id reader_id owner_id proposed_by asked_by decided_by author "
    "approver deputy_id asked_by_id invited_by_id owner_before_id",
)
_OWN: Final[Mapping[str, str]] = {"membership_id": "your role", "api_key_id": "a key of yours"}
_ANOTHERS: Final[Mapping[str, str]] = {
    "membership_id": "another person's role",
    "api_key_id": "a key of the firm or of another person",
}
# Names of keys: shown only for the person's own keys.
_OF_OWN_KEYS: Final = ("core: name prefix",)
# Field -> why it is not shown.
_WITHHELD: Final[Mapping[str, tuple[str, ...]]] = {
    "Digests, which say nothing without the keys of the firm.": (
        "core: content_sha256 before_sha256 base_sha256 result_sha256 context_sha256 "
        "corpus_sha256 questions_sha256 metrics_sha256 proof_sha256 log_root",
        "question: hmac_sha256 key_epoch",
        "answer: answer_hmac_sha256 context_sha256 result_hmac_sha256",
        "passages: context_sha256",
    ),
    "Words that another person may have written, or that name another person. What you wrote yourself about a policy "
    "is among the policy versions.": ("core: reason", "actor: reason matter ground"),
    "May name another person, or a client of the firm.": ("core: key filters host owner_ids",),
    (
        "What a certificate says about an erasure, with the ids of those who decided: the person concerned may have "
        "the certificate itself."
    ): ("core: statement",),
    "Names and locations of documents, which are about others; an auditor finds them under the event's id.": (
        "answer: ref_ids",
        "passages: hits",
    ),
}
# In events of these actions, this withheld field holds only words of the acting person, so it is shown to that person.
_OWN_WORDS: Final = frozenset({("intents.policy.withdrawn", "core.reason")})


class Shown(Enum):
    JUST_SO = auto()
    PERSON = auto()
    OF_OWN_KEY = auto()
    WITHHELD = auto()


def _names(lines: Iterable[str]) -> list[str]:
    split = (line.split(":", 1) for line in lines)
    return [f"{group}.{name}" for group, names in split for name in names.split()]


_SHOWN: Final[Mapping[str, Shown]] = {
    **dict.fromkeys(_names(_JUST_SO), Shown.JUST_SO),
    **dict.fromkeys(_names(_PEOPLE), Shown.PERSON),
    **dict.fromkeys(_names(_OF_OWN_KEYS), Shown.OF_OWN_KEY),
    **dict.fromkeys((name for lines in _WITHHELD.values() for name in _names(lines)), Shown.WITHHELD),
}


def withheld_fields() -> Mapping[str, tuple[str, ...]]:
    """Return the names of the withheld fields by reason."""
    return {because: tuple(_names(lines)) for because, lines in _WITHHELD.items()}


def undecided_fields() -> list[str]:
    """Return the fields of registered events that none of the lists above mentions."""
    registered = {
        f"{group}.{name}" for each in event_classes() for group, names in each.fields.items() for name in names
    }
    return sorted(registered - _SHOWN.keys())


def shown_fields(
    group: Group, values: Mapping[str, Any], person: Person, *, own_key: bool, acted_in: str = ""
) -> dict[str, Any]:
    """Return the fields of an event's group that the person may see.

    Args: own_key: whether the event is about one of the person's own keys.
          acted_in: the action, if the person is the actor; otherwise empty.
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        match _SHOWN.get(f"{group}.{name}", Shown.WITHHELD):
            case Shown.JUST_SO:
                found[name] = value
            case Shown.PERSON:
                found[name] = None if value in (None, "") else _who(name, value, person)
            case Shown.OF_OWN_KEY if own_key:
                found[name] = value
            case Shown.WITHHELD if (acted_in, f"{group}.{name}") in _OWN_WORDS:
                found[name] = value
    return found


def _who(name: str, value: object, person: Person) -> str:
    if person.is_meant(value) or value == person.username:
        return _OWN.get(name, YOU)
    return _ANOTHERS.get(name, ANOTHER_PERSON)
