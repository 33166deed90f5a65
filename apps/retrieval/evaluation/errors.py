"""What can be wrong with an evaluation, and what to do about it."""

from __future__ import annotations

from apps.errors import ApplicationError


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


class UnknownSettingError(EvaluationError):
    """Data: name, known."""

    code = "retrieval.evaluation_setting"
    message = "There is no setting {name}. There are: {known}."


class InvalidSettingError(EvaluationError):
    """Data: name, value, wanted."""

    code = "retrieval.evaluation_setting_value"
    message = "The setting {name} can't be {value}: it must be {wanted}."


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
