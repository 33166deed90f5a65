"""What can go wrong on the way of a question, in words for the person who asked."""

from __future__ import annotations

from apps.errors import ApplicationError
from apps.tenants.errors import ResidencyError


class QuestionError(ApplicationError):
    """The question cannot be read as one; nothing was searched."""

    code = "retrieval.question"


class EmptyQuestionError(QuestionError):
    code = "retrieval.question_empty"
    message = "The question is empty. Write what you want to know, such as: What was the fund's drawdown in Q4 2024?"


class UnreadableQuestionError(QuestionError):
    code = "retrieval.question_unreadable"
    message = (
        "The question holds {length_chars} characters, none of which can be read (control characters only). "
        "Type it again, or check the encoding of the client: JSON is sent as UTF-8."
    )


class QuestionTooLongError(QuestionError):
    code = "retrieval.question_too_long"
    status = 413
    message = (
        "The question has {length_chars} characters; at most {maximum_chars} are read. Ask one thing at a time, "
        "and upload long texts as documents instead of pasting them."
    )


class InvalidRankingError(ApplicationError):
    """A retriever broke its contract: a chunk stands twice in one ranking."""

    code = "retrieval.invalid_ranking"
    status = 500
    message = "The ranking {ranking} names the chunk {chunk_id} twice. This is a defect of that retriever; report it."


class UnknownStageImplementationError(ApplicationError):
    code = "retrieval.unknown_stage_implementation"
    status = 500
    message = "The stage {stage} has no implementation named {name}. Choose one of: {available}."


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
        "The model {model} did not answer within {timeout_s} seconds. Try again, or raise the timeout in settings."
    )


class MalformedAnswerError(GenerationError):
    """Still not the agreed JSON after the one request to repair it."""

    code = "retrieval.malformed_answer"
    message = "The model {model} did not keep to the agreed form of an answer, also when asked again: {problem}."


class UnknownReferenceError(GenerationError):
    """The model cites something that it was not given, also after the one request to repair it."""

    code = "retrieval.unknown_reference"
    message = "The model {model} cited {count} passages that it was not given, also when asked again."


class GenerationKeyError(GenerationError):
    code = "retrieval.generation_key"
    message = "The model {model} did not accept the key. Set {api_key_env} to a valid one."


class GenerationRequestError(GenerationError):
    code = "retrieval.generation_request"
    message = "The model {model} refused the request (HTTP {http_status}). Check the model's name in its profile."


class GenerationResidencyError(GenerationError, ResidencyError):
    """The refusal of a call: an error of generation, and the same fact as the refusal of a tenant's settings."""

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
