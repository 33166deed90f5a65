"""What may hold personal data but is not in the package, with the reason that the person reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from apps.privacy.my_data.contracts import LeftOut

_A_PROOF: Final = (
    "Passwords, keys and their digests: they prove who somebody is. Handing them out would help only a thief."
)
_YOUR_ACT: Final = (
    "Your name or id beside a step that you took in somebody else's matter. Each such step is listed among your acts."
)
_OFFICERS: Final = (
    "Words of the people who work on privacy or retention. They may name others, or the law may permit withholding "
    "them: ask the data protection officer."
)
_OF_OTHERS: Final = (
    "Packages for people who are named in documents and asked for one: they get theirs from the data protection "
    "officer."
)
_HELD: Final = "What is kept for a legal claim, and why: the officers may have to keep that to themselves for a time."
_TARGETS: Final = (
    "What a removal is aimed at, which can be your account: the request for it is in its own chapter, if the law "
    "lets you see it."
)
_INVITED: Final = (
    "Mailboxes that were invited and have not accepted yet: nobody knows whose mailbox it is until the person "
    "accepts, and then the address is removed. It is also removed when the invitation is withdrawn or expires."
)
_MAILED: Final = (
    "Links that were mailed to you for a new password or a new address: they work for an hour and are then removed. "
    "The events show that a new password was requested and that a link was used."
)
_HANDS: Final = (
    "Who made your account, which can be a person of another firm: the program that makes this file may not read it. "
    "Whoever invited you to this firm is listed with your roles, as “another person”."
)
_SECOND_FACTOR: Final = (
    "That you have an authenticator app or recovery codes: your page for signing in shows it, and the events show "
    "when they were set up, used and removed."
)
_FACTOR_RESET: Final = (
    "Who asked for a reset of a second factor, who agreed, and for whom: the events show each step, with other "
    "people as “another person”."
)
_RESET_REASON: Final = (
    "Why a second factor was removed, in the words of whoever asked for it. They may name others: ask the firm's "
    "administrators or its data protection officer."
)
_MOMENTARY: Final = "Answers and counts that are kept for a day at most and repeat what you were told."
_OF_THE_FIRM: Final = "The firm's own name, not yours."
_DERIVED: Final = "Digests, which reveal nothing by themselves and can't be reversed."
_UNTOLD: Final = (
    "Sessions: they are stored under a key that only the browser has, so nobody can tell whose session it is."
)
_NOT_USED: Final = "Tables that are empty: nothing writes there."
_OPERATIONS: Final = (
    "Files and log lines of the programs, which contain what the tables contain, or ids, counts and codes."
)
_CONTENT: Final = (
    "Documents of the firm, and data made from them. They are about others, or name you: for that, ask the data "
    "protection officer, who has them searched for you."
)
_MAY_QUOTE: Final = "What went wrong with a document, which may quote it."
_OF_THE_POLICY: Final = (
    "The words of the firm's policy. They belong to the firm, whoever typed them. Your versions are listed among the "
    "policy versions, and each can be read there."
)
_PREVIEW: Final = "A computation about a policy: figures, and ids of documents. It says nothing about you."


def _of(table: str, columns: str) -> str:
    return " ".join(f"{table}.{column}" for column in columns.split())


# Names of columns and of other classified places, with the reason for leaving them out.
_DIRECTORY: Final = (
    (
        "tenants_credential.user_id tenants_credential.password tenants_apikey.secret_sha256 "
        "authz.signing_key.inner_pad authz.signing_key.outer_pad "
        "audit_datakey.wrapped_key memory:apps.audit.keys.data_keys memory:apps.audit.log.export.s3 "
        "folder:secrets.json folder:secrets.lock folder:demo.json",
        _A_PROOF,
    ),
    (
        "tenants_invitation.token_sha256 tenants_accountlink.token_sha256 tenants_secondfactor.sealed "
        "tenants_recoverycode.code_sha256 audit_webhook.sealed",
        _A_PROOF,
    ),
    ("tenants_invitation.email", _INVITED),
    ("tenants_invitation.created_by_id", _YOUR_ACT),
    ("tenants_accountlink.user_id tenants_accountlink.email task:apps.tenants.tasks.password_link_ask", _MAILED),
    (_of("tenants_accountorigin", "user_id invited_by_id"), _HANDS),
    ("tenants_secondfactor.user_id tenants_recoverycode.user_id", _SECOND_FACTOR),
    (_of("tenants_factorreset", "user_id asked_by_id agreed_by_id"), _FACTOR_RESET),
    ("tenants_factorreset.reason", _RESET_REASON),
    ("tenants_tenant.name tenants_tenant.slug", _OF_THE_FIRM),
    ("audit_webhook.url", "The address of a program of the firm's, not yours."),
    (_of("tenants_idempotentrequest", "principal_id body location"), _MOMENTARY),
    (_of("tenants_idempotentrequest", "key_digest request_digest"), _DERIVED),
    ("cache:apps.tenants.api.throttling cache:apps.tenants.attempts", _MOMENTARY),
    ("tenants_session.content", _UNTOLD),
    (_of("django_admin_log", "user_id object_id object_repr change_message"), _NOT_USED),
    ("tenants_user_groups.user_id tenants_user_user_permissions.user_id", _NOT_USED),
)
_LOG: Final = (
    ("audit_event.commitments", _DERIVED),
    ("audit_verification.started_by", _YOUR_ACT),
)
_PRIVACY: Final = (
    (_of("audit_erasurerequest", "received_by_id proposed_by_id approved_by_id"), _YOUR_ACT),
    ("audit_letter.written_by_id", _YOUR_ACT),
    (_of("audit_removalrun", "proposed_by approved_by rejected_by unproven_asked_by unproven_agreed_by"), _YOUR_ACT),
    ("audit_removaltarget.item_id authz.repeated_removal.item_id", _TARGETS),
    (_of("audit_purge", "created_by_id created_by_label"), _YOUR_ACT),
    (_of("audit_purgepart", "proposed_by_id proposed_by_label"), _YOUR_ACT),
    (_of("audit_retentionschedule", "author_id author_label approver_id approver_label"), _YOUR_ACT),
    (_of("audit_legalhold", "owner_id placed_by placed_by_label released_by released_by_label"), _YOUR_ACT),
    ("audit_helditem.added_by", _YOUR_ACT),
    (_of("audit_erasurerequest", "details"), _OFFICERS),
    (_of("audit_inventory", "requested_by_id"), _YOUR_ACT),
    (_of("audit_inventoryhit", "decided_by_id"), _YOUR_ACT),
    (_of("audit_inventorytreatment", "chosen_by_id"), _YOUR_ACT),
    (_of("audit_inventory", "description"), _OFFICERS),
    (_of("audit_inventoryhit", "words hidden"), _OFFICERS),
    ("audit_accesspackage.made_by_id", _YOUR_ACT),
    ("audit_accesspackage.ciphertext", _OF_OTHERS),
    (_of("audit_retentionschedule", "reason decision_reason"), _OFFICERS),
    (_of("audit_purge", "reason"), _OFFICERS),
    (_of("audit_legalhold", "matter ground release_reason"), _HELD),
)
_PROGRAMS: Final = (("folder:postgres folder:log folder:erasure folder:databases", _OPERATIONS),)
_DOCUMENTS: Final = (
    (
        _of("corpus_document", "title slug company ticker external_id filename content_sha256 error_detail warnings"),
        _CONTENT,
    ),
    (_of("corpus_chunk", "text context_header section content_sha256"), _CONTENT),
    (_of("corpus_posting", "term chunk_numbers term_frequencies chunk_term_counts"), _CONTENT),
    (
        "corpus_sourcefile.content corpus_page.text corpus_embedding384.vector corpus_embedding1536.vector "
        "memory:apps.corpus.terms memory:apps.corpus.extraction.numerals memory:apps.privacy.people.normalise "
        "memory:apps.privacy.people.variants",
        _CONTENT,
    ),
    ("corpus_ingestjob.error_detail", _MAY_QUOTE),
)
_POLICIES: Final = (
    (_of("intents_policyintent", "label description"), _OF_THE_POLICY),
    (
        "intents_intentterm.text intents_kindbudget.label intents_goldenexample.text intents_goldenvector.vector "
        "memory:apps.intents.matching",
        _OF_THE_POLICY,
    ),
)
_EVALUATION: Final = (
    (
        "retrieval_policyimpact.requested_by",
        "Your name beside a preview of a policy that you asked for. Your acts include that you asked.",
    ),
    (_of("retrieval_policyimpact", "result error_detail"), _PREVIEW),
    (_of("retrieval_evaluationrun", "dataset by_type"), "The names of sets of questions. They say nothing about you."),
    (
        _of("retrieval_evaluationanswer", "key text type expected_answer why answer expected found"),
        "Questions that are asked to measure the search, with what was found in the firm's documents.",
    ),
    (
        "memory:apps.retrieval.stages.question.jurisdiction_names",
        "Country codes for the law that documents state, in a program's memory until it ends.",
    ),
    (
        "memory:apps.retrieval.stages.question.mentions",
        "Patterns made from names of companies and words of questions, in a program's memory until it ends.",
    ),
)


def by_reason(pairs: Iterable[tuple[str, str]]) -> tuple[LeftOut, ...]:
    """Return one entry per reason, in order of first appearance, with its names sorted.

    Args:   pairs: names, separated by blanks, and the reason.
    Raises: ValueError: one name has two reasons.
    """
    reasons: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    for each, because in pairs:
        for name in each.split():
            if reasons.setdefault(name, because) != because:
                raise ValueError(f"{name} is left out twice, for different reasons")
            names.setdefault(because, []).append(name)
    return tuple(LeftOut(names=tuple(sorted(set(found))), because=because) for because, found in names.items())


LEFT_OUT: Final = by_reason((*_DIRECTORY, *_LOG, *_PRIVACY, *_PROGRAMS, *_DOCUMENTS, *_POLICIES, *_EVALUATION))
