"""Errors of evaluations, their questions and previews, with what to do about them."""

from __future__ import annotations

from apps.errors import ApplicationError


class EvaluationQuestionTakenError(ApplicationError):
    """Data: scope (its key)."""

    code = "retrieval.evaluation_question_taken"
    status = 409
    message = "This question is already among those of {scope}. Remove it there first, or ask something else."


class ExpectedDocumentError(ApplicationError):
    """Data: document (as it was named). The error does not tell whether the document is missing or may not be seen."""

    code = "retrieval.expected_document_unknown"
    message = (
        "There is no searchable document {document} that you may see. Choose one of those that the field suggests, or "
        "copy the short name that stands in its citations."
    )


class DocumentOutsideScopeError(ApplicationError):
    """Data: scope, document_scope (keys)."""

    code = "retrieval.expected_document_outside_scope"
    message = (
        "The document lies in {document_scope}, which a question asked within {scope} does not search. Ask within "
        "{document_scope}, or within a scope above it."
    )


class ExpectedPagesError(ApplicationError):
    """Data: pages (of the document), page."""

    code = "retrieval.expected_pages_unknown"
    message = "The document has {pages} pages, so there is no page {page}. Give pages from 1 to {pages}, or none."


class EvaluationError(ApplicationError):
    code = "retrieval.evaluation"
    status = 422


class InvalidFolderError(EvaluationError):
    """Data: folder, problems (one a line, each with its file and line)."""

    code = "retrieval.evaluation_folder"
    message = "The evaluation folder {folder} can't be used:\n{problems}"


class NoQuestionsError(EvaluationError):
    """Data: what."""

    code = "retrieval.evaluation_no_questions"
    message = "There is no question to ask: {what}."


class ForeignTenantError(EvaluationError):
    """Data: slug, why."""

    code = "retrieval.evaluation_foreign_tenant"
    status = 409
    message = (
        "There is a tenant {slug} that was not made for evaluation folders ({why}), and evaluating would change what "
        "its questions may reach. Nothing was done. --tenant {slug} asks its own evaluation questions instead."
    )


class UnknownRunError(EvaluationError):
    """Data: run."""

    code = "retrieval.evaluation_unknown_run"
    status = 404
    message = "There is no finished evaluation run {run} in this tenant. The admin lists them under Quality."


class EvaluationDegradedError(EvaluationError):
    """Data: stage."""

    code = "retrieval.evaluation_without_provider"
    status = 409
    message = (
        "The embedding provider did not answer (stage {stage}), and the figures would not be those of real answers. "
        "Run the command again once it answers."
    )


class ImpactError(ApplicationError):
    """The impact preview of a policy version cannot be computed."""

    code = "retrieval.impact"
    status = 409


class NothingToPreviewError(ImpactError):
    """Data: number, status."""

    code = "retrieval.impact_nothing_to_preview"
    message = "Version {number} is {status}: there is no change ahead whose impact could be computed."


class ImpactOutdatedError(ImpactError):
    """Data: number."""

    code = "retrieval.impact_outdated"
    message = (
        "Version {number} was changed while its impact was computed, so part of it would be of what stood there before."
    )


class ImpactDocumentsRemovedError(ImpactError):
    code = "retrieval.impact_documents_removed"
    message = "Documents that it was about were removed while it was computed. Compute again."


class ImpactDegradedError(ImpactError):
    """Data: stage."""

    code = "retrieval.impact_without_provider"
    message = (
        "The embedding provider did not answer (stage {stage}). Without it questions are judged and searched by words "
        "alone, and the figures would not be those of real answers. Compute again once it answers; the start page "
        "shows it under Health."
    )


class ImpactWorkerLostError(ImpactError):
    """Data: attempts."""

    code = "retrieval.impact_worker_lost"
    message = (
        "The worker died {attempts} times on this preview, most likely for want of memory. Ask an administrator to "
        "look at the worker's log."
    )


class ImpactCrashedError(ImpactError):
    """Data: kind (the exception's class)."""

    code = "retrieval.impact_crashed"
    status = 500
    message = "It failed for a reason that is not foreseen ({kind}); the worker's log tells where."
