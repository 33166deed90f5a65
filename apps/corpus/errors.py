from __future__ import annotations

from apps.errors import ApplicationError


class DocumentNotFoundError(ApplicationError):
    """There is none, or the caller may not see it: the two must look alike."""

    code = "corpus.document_not_found"
    status = 404
    message = "There is no document {document} that you may see."


class JobNotFoundError(ApplicationError):
    code = "corpus.job_not_found"
    status = 404
    message = "There is no job {job} that you may see."


class PageNotFoundError(ApplicationError):
    code = "corpus.page_not_found"
    status = 404
    message = "The document {document} has no page {page}; it has {pages}."
