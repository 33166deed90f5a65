"""Errors that can occur while a question is answered, worded for the person who asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError
from apps.tenants.errors import ResidencyError


class QuestionError(ApplicationError):
    """The text cannot be read as a question; nothing was searched."""

    code = "retrieval.question"


class EmptyQuestionError(QuestionError):
    code = "retrieval.question_empty"
    message = "The question is empty. Write what you want to know, such as: What was the fund's drawdown in Q4 2024?"


class UnreadableQuestionError(QuestionError):
    code = "retrieval.question_unreadable"
    message = (
        "The question contains {length_chars} characters, none of which can be read (control characters only). "
        "Type it again, or check the encoding of the client: JSON is sent as UTF-8."
    )


class QuestionTooLongError(QuestionError):
    code = "retrieval.question_too_long"
    status = 413
    message = (
        "The question has {length_chars} characters; at most {maximum_chars} are read. Ask one thing at a time, "
        "and upload long texts as documents instead of pasting them."
    )


class AnswerNotKeptError(ApplicationError):
    code = "retrieval.answer_not_kept"
    status = 404
    message = "You have no answer of this id that is kept. The policy says for how many days answers are kept."


class SendingError(CodedError):
    """A question can't be sent to the officers, or not be decided on."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "retrieval.sent_unknown": (404, "There is no question of this id that you sent or may decide on."),
        "retrieval.sent_answered": (409, "This question was answered. Only one without an answer goes to an officer."),
        "retrieval.sent_before": (409, "You sent this question already. “My questions” shows what became of it."),
        "retrieval.sent_decided": (409, "This question is decided on already. Load the page again to see how."),
        "retrieval.sent_without_consent": (
            422,
            "Agree that the officers may keep and read the text, or don't send it.",
        ),
        "retrieval.sent_other_text": (422, "This is not the question that you asked. Enter it word for word."),
        "retrieval.sent_note_too_long": (422, "The note is too long: enter at most {maximum_chars} characters."),
        "retrieval.sent_reply_too_long": (422, "The reply is too long: enter at most {maximum_chars} characters."),
        "retrieval.sent_reply_missing": (422, "Enter the answer that the person gets."),
        "retrieval.sent_no_example": (
            422,
            "No draft or version has this question as a review example. Make it one first, then decide.",
        ),
    }


class InvalidRankingError(ApplicationError):
    """A retriever broke its contract: one ranking contains the same chunk twice."""

    code = "retrieval.invalid_ranking"
    status = 500
    message = "The ranking {ranking} names the chunk {chunk_id} twice. This is a defect of that retriever; report it."


class InvalidStageSettingError(ApplicationError):
    """Data: name, value, low, high."""

    code = "retrieval.invalid_stage_setting"
    status = 500
    message = "The setting {name} can't be {value}: it must lie between {low} and {high}."


class UnknownSettingError(ApplicationError):
    """Data: name, known."""

    code = "retrieval.evaluation_setting"
    status = 422
    message = "There is no setting {name}. There are: {known}."


class InvalidSettingError(ApplicationError):
    """Data: name, value, wanted."""

    code = "retrieval.evaluation_setting_value"
    status = 422
    message = "The setting {name} can't be {value}: it must be {wanted}."


class StageChoiceError(ApplicationError):
    """Data: problem."""

    code = "retrieval.stage_choice"
    status = 500
    message = "GLASSBOX_RETRIEVAL_STAGES can't be used: {problem}"


class UnknownStageImplementationError(ApplicationError):
    code = "retrieval.unknown_stage_implementation"
    status = 500
    message = "The stage {stage} has no implementation named {name}. Choose one of: {available}."


class RerankingError(ApplicationError):
    """The reranker gave no usable scores; the passages stay in the order of the search, and the answer says so.

    Data: reranker, kind (the exception's class, or what was wrong).
    """

    code = "retrieval.reranking"
    status = 500
    message = "The reranker {reranker} failed ({kind}), so the passages are in the order of the search."


class RerankerConfigurationError(RerankingError):
    """Data: reranker, setting, problem."""

    code = "retrieval.reranker_configuration"
    message = (
        "The reranker {reranker} can't be used: {setting} {problem}. Set it to a folder that contains a "
        "cross-encoder with one score, or to the name of one that is already in the local model cache. The "
        "passages are in the order of the search."
    )


class GenerationError(ApplicationError):
    """The model gave no usable answer; the pipeline answers by quotation instead and says so."""

    code = "retrieval.generation"
    status = 502
    message = "The model {model} gave no answer."


class GenerationUnavailableError(GenerationError):
    code = "retrieval.generation_unavailable"
    status = 503
    message = "The model {model} could not be reached ({reason}). Check the provider's status, its address and the key."


class GenerationTimeoutError(GenerationUnavailableError):
    code = "retrieval.generation_timeout"
    status = 504
    message = (
        "The model {model} did not answer within {timeout_seconds} seconds. "
        "Try again, or raise the timeout in settings."
    )


class GenerationRateLimitedError(GenerationUnavailableError):
    code = "retrieval.generation_rate_limited"
    status = 429
    message = "The model {model} accepts no more requests for now{wait}. Ask again later, or have its limit raised."


class MalformedAnswerError(GenerationError):
    """The model's answer is still not the agreed JSON after the one request to repair it."""

    code = "retrieval.malformed_answer"
    message = "The model {model} did not answer in the required form, even when asked again: {problem}."


class UnknownReferenceError(GenerationError):
    """The model still cites something that it was not given after the one request to repair its answer."""

    code = "retrieval.unknown_reference"
    message = "The model {model} cited {count} passages that it was not given, even when asked again."


class MalformedWordingsError(GenerationError):
    """The model was asked for wordings to search for and gave none that can be used. It is not asked again."""

    code = "retrieval.malformed_wordings"
    message = "The model {model} returned nothing that can be searched for: {problem}."


class GenerationKeyError(GenerationError):
    code = "retrieval.generation_key"
    message = "The model {model} did not accept the key. Set {api_key_env} to a valid one."


class GenerationRequestError(GenerationError):
    code = "retrieval.generation_request"
    message = "The model {model} refused the request (HTTP {http_status}). Check the model's name in its profile."


class GenerationResidencyError(GenerationError, ResidencyError):
    """A call refused for residency. It is both a generation error and the same error as for a tenant's settings."""

    code = ResidencyError.code
    status = ResidencyError.status
    message = f"{ResidencyError.message} 'extractive' computes here."


class UnknownGenerationProfileError(GenerationError):
    code = "retrieval.generation_profile_unknown"
    status = 400
    message = "There is no generation profile {profile}. Choose one of: {known}."


class UnsupportedEmbeddingDimensionError(ApplicationError):
    code = "retrieval.unsupported_dimension"
    status = 500
    message = "There is no vector table for {dimension} dimensions. Supported: {supported}."


class PolicyChangedError(ApplicationError):
    """New policy versions came into force faster than the question could be answered."""

    code = "retrieval.policy_changed"
    status = 503
    message = "The policy changed while the question was answered. Ask again in a moment."


class DocumentsGoneError(ApplicationError):
    code = "retrieval.documents_gone"
    status = 503
    message = "Documents are being removed while the question is answered. Ask again in a moment."
