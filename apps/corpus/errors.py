from __future__ import annotations

from apps.errors import ApplicationError


class DocumentNotFoundError(ApplicationError):
    """The document does not exist or the caller may not see it; the caller must not be able to tell the cases apart."""

    code = "corpus.document_not_found"
    status = 404
    message = "There is no document {document} that you may see."


class RemovalByTwoError(ApplicationError):
    code = "corpus.removal_by_two"
    status = 409
    message = (
        "Nothing was removed: nobody can remove document {document} alone. Propose its removal; somebody else who "
        "may approve removals decides."
    )


class RemovalReasonError(ApplicationError):
    code = "corpus.removal_reason"
    message = "Say why the document is to be removed: one of {known}."


class RemovalKeptError(ApplicationError):
    """Data: document, ground (such as `request:<uuid>`), why (as words)."""

    code = "corpus.removal_kept"
    status = 409
    message = "Nothing was proposed: document {document} {why} ({ground})."


class RemovalNotDueError(ApplicationError):
    """Data: document, schedule (its number)."""

    code = "corpus.removal_not_due"
    status = 409
    message = (
        "Nothing was proposed: retention schedule {schedule} requires document {document} to be kept for longer. "
        "A document that is no longer needed can be removed once the rules permit it. If there is another reason, "
        "give that one."
    )


class JobNotFoundError(ApplicationError):
    code = "corpus.job_not_found"
    status = 404
    message = "There is no job {job} that you may see."


class PageNotFoundError(ApplicationError):
    code = "corpus.page_not_found"
    status = 404
    message = "The document {document} has no page {page}; it has {pages}."


class PageWithoutImageError(ApplicationError):
    code = "corpus.page_without_image"
    status = 404
    message = "The page has no image: {why}. Its text can be read."


class IngestError(ApplicationError):
    code = "corpus.ingest_failed"
    status = 422
    message = "The document could not be ingested."


class NoPassagesError(IngestError):
    code = "corpus.no_passages"
    message = "{filename} was read, but nothing in it can be searched. Check that it contains text."
