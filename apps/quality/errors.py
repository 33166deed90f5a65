"""Errors of evaluations, their questions and previews, with what to do about them."""

from __future__ import annotations

from apps.errors import ApplicationError


class EvaluationQuestionTakenError(ApplicationError):
    """Data: scope (its key)."""

    code = "retrieval.evaluation_question_taken"
    status = 409
    message = "{scope} already has this question. Remove it there first, or ask something else."


class ExpectedDocumentError(ApplicationError):
    """Data: document (as it was named). The error does not tell whether the document is missing or may not be seen."""

    code = "retrieval.expected_document_unknown"
    message = (
        "There is no searchable document {document} that you may see. Choose one of the suggestions, or copy the "
        "short name from its citations."
    )


class DocumentOutsideScopeError(ApplicationError):
    """Data: scope, document_scope (keys)."""

    code = "retrieval.expected_document_outside_scope"
    message = (
        "The document is in {document_scope}, which a question asked within {scope} does not search. Ask within "
        "{document_scope}, or within a scope above it."
    )


class ExpectedPagesError(ApplicationError):
    """Data: pages (of the document), page."""

    code = "retrieval.expected_pages_unknown"
    message = "The document has {pages} pages, so there is no page {page}. Enter pages from 1 to {pages}, or none."


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
    message = "No question was selected: {what}."


class ForeignTenantError(EvaluationError):
    """Data: slug, why."""

    code = "retrieval.evaluation_foreign_tenant"
    status = 409
    message = (
        "The tenant {slug} was not made for evaluation folders ({why}), and an evaluation would change what its "
        "questions may reach. Nothing was done. To ask its own evaluation questions, use --tenant {slug}."
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
    message = "Version {number} is {status}, so it has no upcoming change whose impact could be computed."


class ImpactOutdatedError(ImpactError):
    """Data: number."""

    code = "retrieval.impact_outdated"
    message = (
        "Version {number} was changed while its impact was computed, so part of the preview would describe the "
        "earlier content."
    )


class ImpactDocumentsRemovedError(ImpactError):
    code = "retrieval.impact_documents_removed"
    message = "Documents in this preview were removed while it was computed. Compute it again."


class ImpactDegradedError(ImpactError):
    """Data: stage."""

    code = "retrieval.impact_without_provider"
    message = (
        "The embedding provider did not answer (stage {stage}). Without it, questions are judged and searched only "
        "by words, and the figures would not match real answers. Compute it again once the provider answers; the "
        "start page shows it under Health."
    )


class ImpactWorkerLostError(ImpactError):
    """Data: attempts."""

    code = "retrieval.impact_worker_lost"
    message = (
        "The worker stopped {attempts} times on this preview, most likely because it ran out of memory. Ask an "
        "administrator to check the worker's log."
    )


class ImpactCrashedError(ImpactError):
    """Data: kind (the exception's class)."""

    code = "retrieval.impact_crashed"
    status = 500
    message = "It failed for an unexpected reason ({kind}); the worker's log has the details."
