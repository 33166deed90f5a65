"""Errors that say why a document was refused or why its job failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.corpus.errors import IngestError
from apps.errors import CodedError


class UnknownKindError(IngestError):
    code = "corpus.unknown_kind"
    status = 400
    message = "There is no kind {kind}. Choose one of: {known}."


class RetiredKindError(IngestError):
    """Data: kind, known (the keys of those in use)."""

    code = "corpus.retired_kind"
    status = 400
    message = "The kind {kind} is retired: nothing more is uploaded as such. Choose one of: {known}."


class LeavingKindError(RetiredKindError):
    """Data: kind, number (of the approved version of the policy that leaves it out), known."""

    message = (
        "Version {number} of the policy, which is approved and waits for its time, leaves out the kind {kind}: nothing "
        "more is uploaded as such. Choose one of: {known}. Or have that version withdrawn."
    )


class KindNotYoursError(IngestError):
    """Data: kind, doing (a Right), roles (those that may)."""

    code = "corpus.kind_not_yours"
    status = 403
    message = "Your role may not {doing} documents of the kind {kind}; these may: {roles}. Ask one of them."


class EmptyUploadError(IngestError):
    code = "corpus.file_empty"
    message = "{filename} is empty. Export it again and upload the new copy."


class UploadTooLargeError(IngestError):
    code = "corpus.file_too_large"
    status = 413
    message = "{filename} has {size_bytes} bytes; the limit is {limit_bytes}. Split it, or ask for a higher limit."


class UnknownDocumentError(IngestError):
    """Also raised for a document that the caller may not see: the caller must not be able to tell the cases apart."""

    code = "corpus.unknown_document"
    status = 404
    message = "There is no document {document} in this scope that a new version could replace."


class NotReplaceableError(IngestError):
    """Does not say which version the uploader may not replace: it may be restricted."""

    code = "corpus.not_replaceable"
    status = 403
    message = (
        "The policy in force does not let the uploader of document {document} replace what it was to replace. Have "
        "somebody upload it who may, or upload it as a document of its own."
    )


class NotCurrentError(IngestError):
    code = "corpus.not_current"
    status = 409
    message = "Document {document} has a newer version, in force or on its way. Correct that one."


class RemovalPendingError(IngestError):
    code = "corpus.removal_pending"
    status = 409
    message = (
        "Document {document} is to be removed (run {run}), and a corrected copy would outlive it. It can be "
        "corrected once the removal is rejected or taken back."
    )


class ExternalIdTakenError(IngestError):
    code = "corpus.external_id_taken"
    status = 409
    message = (
        "Document {document} of this scope already has the source id {external_id}. Two documents can't share it, "
        "because it decides which one an upload replaces. Correct that document first."
    )


class MoveError(CodedError):
    """What stands against moving a document to another scope."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "corpus.move_not_current": (
            409,
            "Document {document} has a newer version, in force or on its way. Move that one: it takes the earlier ones "
            "along.",
        ),
        "corpus.move_before_read": (
            409,
            "Document {document} is not searchable yet. Only who uploaded it can move it before that.",
        ),
        "corpus.move_before_earlier": (
            409,
            "Document {document} is not searchable yet, and an earlier version is still in force. Move it once it has "
            "been read, or delete it and move the earlier version.",
        ),
        "corpus.move_of_record": (
            409,
            "Document {document} is a record, which its source files. Have its source send it to the other scope, and "
            "propose the removal of this one.",
        ),
        "corpus.move_restricted": (
            409,
            "Document {document} can't be moved at present: a version of it, the same file or the same source id is "
            "restricted. Ask your data protection officer.",
        ),
        "corpus.move_of_ending_scope": (
            409,
            "One of the two scopes is to be removed (run {run}), so nothing is moved out of it or into it. Move the "
            "document once that removal is rejected or taken back.",
        ),
        "corpus.move_of_requested_scope": (
            409,
            "The erasure of one of the two scopes was requested, so nothing is moved out of it or into it. Move the "
            "document once that request is over, or ask your data protection officer.",
        ),
        "corpus.move_overdue": (
            409,
            "Document {document} is past the latest date of the retention rules in force, and a copy would be as well. "
            "Propose its removal.",
        ),
        "corpus.move_onto_removal": (
            409,
            "The other scope has this file as document {document}, which is to be removed (run {run}): nobody would "
            "keep it. Move it once that removal is rejected, taken back or carried out.",
        ),
    }


class DescribedTwiceError(IngestError):
    """Data: filename; lines, of the manifest, in words."""

    code = "corpus.described_twice"
    status = 400
    message = "{filename} is described by lines {lines} of the manifest. Keep one of them."


class InvalidRecordError(IngestError):
    """Data: place (a JSON pointer, "" for the whole record, or a field's name), reason (the end of a sentence)."""

    code = "corpus.record_invalid"
    status = 400
    message = "The record can't be used: {place} {reason}."


class RecordTwiceError(IngestError):
    code = "corpus.record_twice"
    status = 400
    message = "This record stands twice in the request, and it is unclear which one is meant. Send it once."


class RecordTooLargeError(IngestError):
    code = "corpus.record_too_large"
    status = 413
    message = "The record has {size_bytes} bytes; the limit is {limit_bytes}. Split it into several records."


class RecordKindError(IngestError):
    code = "corpus.record_kind_differs"
    status = 409
    message = (
        "The record is stored as document {document} of the kind {kind}. The kind decides who can reach it, and does "
        "not change: send that kind, or propose the removal of the record first."
    )


class RecordTypeError(IngestError):
    code = "corpus.record_type_differs"
    status = 409
    message = (
        "The record is stored as document {document} of the type {type}, which does not change. Send that type, or "
        "use another external id."
    )


class RecordRemovalPendingError(IngestError):
    code = "corpus.record_removal_pending"
    status = 409
    message = (
        "The record is to be removed (run {run}), and a new version would outlive it. Send it again once the removal "
        "is rejected, taken back or carried out; after it is carried out, the record starts anew."
    )


class RecordNotFoundError(IngestError):
    """The record does not exist or the caller may not see it; the caller must not be able to tell the cases apart."""

    code = "corpus.record_not_found"
    status = 404
    message = "There is no record {external_id} of {source} in this scope that you may see."


class OtherwiseDescribedError(IngestError):
    """Data: document, fields (as a client names them)."""

    code = "corpus.otherwise_described"
    status = 409
    message = (
        "These bytes are already stored as document {document}, with another {fields}. Nothing was changed. Send "
        "the stored values, or omit these fields."
    )


class RestrictedContentError(IngestError):
    code = "corpus.restricted_content"
    status = 409
    message = (
        "These bytes are already in this scope, but restricted: they may not be searched or shown at present. Ask "
        "your data protection officer."
    )


class ActorRevokedError(IngestError):
    """Names nobody: it is kept with the job and the document, longer than the person's name is."""

    code = "corpus.actor_revoked"
    status = 403
    message = (
        "Whoever uploaded this may no longer add documents to this scope. Somebody who may can start the job again "
        "under Corpus, Jobs."
    )


class NotStorableError(IngestError):
    code = "corpus.not_storable"
    message = "{filename} was read, but its text contains something that the database refuses. Export it again."


class WorkerLostError(IngestError):
    code = "corpus.worker_lost"
    status = 500
    message = (
        "The worker stopped {attempts} times while it worked on this document. Its log may say why; the file may need "
        "more memory than is available. Split it, or start the job again under Corpus, Jobs."
    )


class AttemptsExhaustedError(IngestError):
    code = "corpus.attempts_exhausted"
    status = 500
    message = "Gave up after {attempts} attempts. The last error: {reason}"


class UnsupportedDimensionError(IngestError):
    code = "corpus.unsupported_dimension"
    status = 500
    message = (
        "The embedding profile {profile} gives vectors of length {dimension}, but there is no table for that "
        "length. Supported: {known}."
    )


class JobNotRetryableError(IngestError):
    code = "corpus.job_not_retryable"
    status = 409
    message = "The job is {status}; only a failed or waiting one can be started again."


class ErasedDocumentError(IngestError):
    """The same document was erased at somebody's request, so it can't be uploaded again."""

    code = "corpus.document_erased"
    status = 409
    message = (
        "{filename} was not accepted: {same}, which was erased on {erased_on} by removal {run}. If it must be "
        "kept after all, ask your data protection officer; a copy without the erased content is a different "
        "file{advice}."
    )
