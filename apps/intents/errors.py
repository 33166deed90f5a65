"""The errors about policies, each with a stable code and a message that says what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class InvalidRetrievalSettingsError(ApplicationError):
    """Data: name, problem."""

    code: ClassVar[str] = "intents.retrieval_settings_invalid"
    message: ClassVar[str] = "Retrieval setting '{name}': {problem}."


class InvalidPolicyError(ApplicationError):
    """Data: problems (a tuple of sentences)."""

    code: ClassVar[str] = "intents.policy_invalid"

    @property
    def detail(self) -> str:
        return "The policy can't be used: " + " ".join(self.data["problems"])

    def __str__(self) -> str:
        return self.detail


class NoPolicyInForceError(ApplicationError):
    """Data: tenant_id, at."""

    code: ClassVar[str] = "intents.no_policy_in_force"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Tenant {tenant_id} had no policy in force at {at}. Choose a time after its creation, or put a policy "
        "version in force."
    )


class ExampleVectorsMismatchError(ApplicationError):
    """Data: examples, vectors. Checked because a programmer's mistake would otherwise stay unnoticed."""

    code: ClassVar[str] = "intents.example_vectors_mismatch"
    status: ClassVar[int] = 500
    message: ClassVar[str] = "The policy has {examples} examples, but {vectors} example vectors were given."


class PolicyFileError(ApplicationError):
    """Data: filename, problems (a tuple of FileProblem: line, column, message)."""

    code: ClassVar[str] = "intents.policy_file_invalid"

    @property
    def detail(self) -> str:
        lines = "".join(f"\n  {problem}" for problem in self.data["problems"])
        return f"{self.data['filename']} can't be used as a policy:{lines}"

    def __str__(self) -> str:
        return self.detail


class UnknownPolicyReferenceError(ApplicationError):
    """Data: reference, problem."""

    code: ClassVar[str] = "intents.policy_reference_unknown"
    status: ClassVar[int] = 404
    message: ClassVar[str] = (
        "'{reference}' names no policy: {problem}. Enter a version's number (3), a date (2026-01-31), a time "
        "(2026-01-31T12:00:00+00:00), active, baseline, or the path of a file."
    )


class AmbiguousNameError(ApplicationError):
    """Data: candidates (members and API keys), more (how many others there are). Never the name that was typed."""

    code: ClassVar[str] = "intents.name_ambiguous"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Several members or API keys, past or present, may be meant by this name, so there is no answer. Ask again "
        "about one of the `candidates`, or write more of the name."
    )


class NameNotKnownError(ApplicationError):
    """Data: candidates (members with the nearest names). Never the name that was typed."""

    code: ClassVar[str] = "intents.name_not_known"
    status: ClassVar[int] = 404
    message: ClassVar[str] = (
        "No member and no API key of this tenant, past or present, is known by that name, so there is no answer. The "
        "`candidates` have the nearest names."
    )


class AmbiguousDocumentError(ApplicationError):
    """Data: documents (a tuple of those that may be meant), more (how many others). Never the words typed."""

    code: ClassVar[str] = "intents.document_ambiguous"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Several documents may be meant, so there is no answer. Ask again with the id of one of the `documents`, or "
        "write more of the title."
    )


class RecertificationError(CodedError):
    """A step of a recertification that can't be taken. Data: field, where a form has one for it."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "intents.recertification_no_grants": (
            409,
            "There is no valid grant of these roles and scopes that you may see. Choose others.",
        ),
        "intents.recertification_owners": (400, "Name one or more owners, who are members of this tenant now."),
        "intents.recertification_due": (400, "The date has passed. Choose a later one."),
        "intents.recertification_no_owner": (
            409,
            "{grants} of the grants have no owner: nobody answers for their own grant, and an owner must reach its "
            "scope. Name one more owner.",
        ),
        "intents.recertification_closed": (409, "This recertification is closed. Nothing in it can change."),
        "intents.recertification_decided": (409, "Somebody decided on this grant already. A decision stays."),
        "intents.recertification_not_owner": (
            403,
            "Only the owner of a grant confirms or ends it, signed in and in person.",
        ),
        "intents.recertification_own": (
            403,
            "This grant is your own, or of an account that counts as yours: somebody else decides.",
        ),
        "intents.recertification_own_key": (
            403,
            "You made this key and have read its secret: somebody else confirms its grant. You may end it, or an "
            "officer names another owner.",
        ),
        "intents.recertification_reason": (400, "Say why, in a few words."),
        "intents.recertification_gone": (
            409,
            "The grant has ended meanwhile, so it can't be confirmed. End it in the record.",
        ),
        "intents.recertification_not_there": (
            404,
            "There is no such recertification, or grant in it, that you may see.",
        ),
    }


class AbsenceError(CodedError):
    """An absence that can't be recorded or ended. Data: field, where a form has one for it."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "intents.absence_not_there": (404, "There is no such absence that you may see."),
        "intents.absence_over": (409, "This absence has ended already. Nothing in it can change."),
        "intents.absence_too_old": (400, "It may begin {days} days ago at most. Enter a later beginning."),
        "intents.absence_ends_early": (400, "An absence ends after it begins, and in the future. Enter a later end."),
        "intents.absence_not_of_a_reviewer": (400, "Only an absence of a reviewer is recorded. Name a reviewer."),
        "intents.absence_deputy": (400, "A deputy is another member who may approve policies. Name another one."),
        "intents.absence_overlaps": (
            409,
            "There is an absence for a part of that time. End it, or choose other times.",
        ),
    }


class NoticeError(CodedError):
    """A notice that can't be read."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "intents.notice_not_there": (404, "There is no such notice for you."),
    }


class RegisterQuestionError(CodedError):
    """A question about who could reach what that can't be answered. Data: field, by its name in the question."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "intents.register_in_the_future": (
            400,
            "That time is in the future. What can be reached then may still change; ask about now or earlier.",
        ),
        "intents.register_before_the_tenant": (
            400,
            "The tenant was not there yet: it was made at {created_at}. Ask about a later time.",
        ),
        "intents.register_reversed": (400, "The end is not later than the beginning. Enter a later end."),
        "intents.register_end_missing": (400, "A range and a comparison need a second time. Enter it."),
        "intents.register_unknown_kind": (
            404,
            "No policy version that was in force then had a kind of this key or name. There were: {known}.",
        ),
        "intents.register_kind_ambiguous": (
            409,
            "Several kinds had this name then, so nothing is stated. Enter the key of one of them: {known}.",
        ),
        "intents.register_unknown_scope": (404, "There is no scope of this key that you may see."),
        "intents.register_unknown_document": (
            404,
            "No document that you may see is known by that id or title, now or in the log.",
        ),
    }


class PolicyAuthorError(ApplicationError):
    """Data: username, problem. A draft needs an author, because its author must not approve it."""

    code: ClassVar[str] = "intents.policy_author_invalid"
    status: ClassVar[int] = 403
    message: ClassVar[str] = (
        "{username} can't be the author of a policy: {problem}. Name a member of the tenant who may edit policies, "
        "such as a compliance officer."
    )


class PolicyVersionNotFoundError(ApplicationError):
    """Data: version. The version does not exist or belongs to another tenant; the error is the same for both."""

    code: ClassVar[str] = "intents.policy_version_not_found"
    status: ClassVar[int] = 404
    message: ClassVar[str] = "There is no policy version {version}."


class PersonNeededError(ApplicationError):
    code: ClassVar[str] = "intents.person_needed"
    status: ClassVar[int] = 403
    message: ClassVar[str] = (
        "Only people can write and approve versions, and this API key acts for nobody. Use a key that acts for you "
        "(Administration, My keys), or sign in."
    )


class DuplicateExampleError(ApplicationError):
    """Data: text, label, number."""

    code: ClassVar[str] = "intents.example_duplicate"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Version {number} already has this review example, in the same words: “{text}”, for {label}. Nothing was added."
    )


class UnknownExampleIntentError(ApplicationError):
    """Data: intent, number, known."""

    code: ClassVar[str] = "intents.example_intent_unknown"
    message: ClassVar[str] = "Version {number} has no intent '{intent}'. It has: {known}."


class EmptyExampleError(ApplicationError):
    code: ClassVar[str] = "intents.example_empty"
    message: ClassVar[str] = "Enter the question for the example."


class ReasonMissingError(ApplicationError):
    code: ClassVar[str] = "intents.reason_missing"
    message: ClassVar[str] = "Say why, in a sentence: the reviewer needs the reason, and so does the audit log."


class NotADraftError(ApplicationError):
    """Data: number, status."""

    code: ClassVar[str] = "intents.not_a_draft"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Version {number} is {status} and can no longer change. Begin a draft as a copy of it."


class NotTheAuthorError(ApplicationError):
    """Data: number, author."""

    code: ClassVar[str] = "intents.not_the_author"
    status: ClassVar[int] = 403
    message: ClassVar[str] = (
        "Version {number} is a draft of {author}, and only they can change it. Begin a draft as a copy of it."
    )


class DraftChangedError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "intents.draft_changed"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Version {number} has changed since you read it, perhaps in another window. Nothing was saved: read it "
        "again, and make your change to the current version."
    )


class SamePolicyError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "intents.same_policy"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Version {number} says the same as the version in force: there is nothing to review."


class NotInReviewError(ApplicationError):
    """Data: number, status."""

    code: ClassVar[str] = "intents.not_in_review"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Version {number} is {status} and does not wait for a decision."


class OwnVersionError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "intents.own_version"
    status: ClassVar[int] = 403
    message: ClassVar[str] = "You wrote version {number}, so somebody else decides on it."


class VersionChangedError(ApplicationError):
    """Data: number, revision (the current one)."""

    code: ClassVar[str] = "intents.version_changed"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Nothing was done: version {number} has been changed or submitted since you read it, and is now at revision "
        "{revision}. Read it again."
    )


class NotWithdrawableError(ApplicationError):
    """Data: number, status."""

    code: ClassVar[str] = "intents.not_withdrawable"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "Version {number} is {status}: only a version that waits can be withdrawn."


class ReplacedMeanwhileError(ApplicationError):
    """Data: number, in_force (the number of the version that came into force)."""

    code: ClassVar[str] = "intents.replaced_meanwhile"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Nothing was done: version {in_force} came into force at this very moment, and what version {number} changes "
        "is now another thing. Read it against version {in_force}, then do it again."
    )


class AlreadyApprovedError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "intents.already_approved"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "You have approved version {number} already. The version in force asks for two reviewers of this change: "
        "another one decides."
    )


class FirstOfTwoError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "intents.first_of_two"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Version {number} takes two reviewers, and you are the first: approve it without a time. The second one says "
        "from when it is in force."
    )


class FollowerTakesTwoError(ApplicationError):
    """Data: number, follower."""

    code: ClassVar[str] = "intents.follower_takes_two"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Version {follower}, which is approved to follow, had one reviewer and would take two after version {number}: "
        "withdraw it first. A copy of it can be submitted again."
    )


class NoSuchCellError(ApplicationError):
    """Data: number, cell."""

    code: ClassVar[str] = "intents.no_such_cell"
    message: ClassVar[str] = (
        "Version {number} has no cell “{cell}”, and neither has the version in force. Choose an intent and a kind of "
        "one of them, or comment on the whole version."
    )


class CommentNotFoundError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "intents.comment_not_found"
    status: ClassVar[int] = 404
    message: ClassVar[str] = "Version {number} has no such comment, or it is an answer: answer the comment above it."


class CommentStandsError(ApplicationError):
    """Data: state."""

    code: ClassVar[str] = "intents.comment_stands"
    status: ClassVar[int] = 409
    message: ClassVar[str] = "The comment is {state} already, perhaps by somebody else just now. Read it again."


class CommentOfOthersError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "intents.comment_of_others"
    status: ClassVar[int] = 403
    message: ClassVar[str] = (
        "A comment on version {number} is resolved by whoever wrote it, or by a reviewer who did not write the "
        "version. Answer it: they resolve it."
    )


class InvalidMomentError(ApplicationError):
    """Data: effective_from."""

    code: ClassVar[str] = "intents.invalid_moment"
    message: ClassVar[str] = "{effective_from} has passed: a version takes effect now or later, never before."


class UnreachableIntentError(ApplicationError):
    """Data: number, intents (labels)."""

    code: ClassVar[str] = "intents.intent_unreachable"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Version {number} has an intent that no question reaches, {intents}: none of its own review examples is "
        "recognised. Give it examples and terms that distinguish it from the others, or remove it."
    )


class GoldenAccuracyError(ApplicationError):
    """Data: number, accuracy, minimum, examples."""

    code: ClassVar[str] = "intents.golden_accuracy_too_low"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Version {number} recognises {accuracy} of its review examples, which is below its own bar of {minimum}. "
        "Examples that go wrong include: {examples}."
    )


class ProofMissingError(ApplicationError):
    """Data: number."""

    code: ClassVar[str] = "intents.proof_missing"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "Version {number} has no proof of what it changes, so it can't be approved. Send it back: its author submits "
        "it again, and the proof is computed then."
    )


class ProofAlteredError(ApplicationError):
    """Data: number, problem."""

    code: ClassVar[str] = "intents.proof_altered"
    status: ClassVar[int] = 409
    message: ClassVar[str] = (
        "The proof of version {number} is not the one that was recorded: {problem}. Nothing was done. Tell the "
        "operator, and verify the audit log."
    )


class UnknownPackError(ApplicationError):
    """Data: pack, known."""

    code: ClassVar[str] = "intents.unknown_pack"
    message: ClassVar[str] = "There is no pack “{pack}”. Choose one or more of: {known}."


class PacksCollideError(ApplicationError):
    """Data: problems (a tuple of sentences)."""

    code: ClassVar[str] = "intents.packs_collide"

    @property
    def detail(self) -> str:
        return "These packs can't be combined: " + " ".join(self.data["problems"])

    def __str__(self) -> str:
        return self.detail
