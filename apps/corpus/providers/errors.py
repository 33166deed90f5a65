"""The errors of an embedding provider; each says whether the same call may succeed later."""

from __future__ import annotations

from typing import ClassVar

from apps.errors import ApplicationError
from apps.tenants import errors as tenants_errors


class ProviderError(ApplicationError):
    """Base of all provider failures. `retryable` tells a job whether the same call may succeed later."""

    code = "corpus.provider_failed"
    status = 502
    message = "The embedding provider {provider} failed."
    retryable: ClassVar[bool] = False

    @property
    def retry_after_seconds(self) -> float | None:
        """Return the wait that the provider asked for, in seconds; None if it asked for none."""
        value: float | None = self.data.get("retry_after_seconds")
        return value


class WarmingUpError(ApplicationError):
    """Not a failure of the provider: nothing was asked of it yet."""

    code = "corpus.warming_up"
    status = 503
    message = "This part of Glassbox has just started and is warming up. Ask again in a few seconds."


class ProviderTimeoutError(ProviderError):
    code = "corpus.provider_timeout"
    status = 504
    message = "The embedding provider {provider} did not answer within {timeout_seconds} s."
    retryable = True


class ProviderUnavailableError(ProviderError):
    code = "corpus.provider_unavailable"
    status = 503
    message = "The embedding provider {provider} is not available: {reason}."
    retryable = True


class ProviderResponseError(ProviderError):
    """The provider answered, but not with the vectors that were asked for.

    Retryable, because a proxy's error page or a truncated body is temporary; a job's limit of attempts ends a
    permanent failure.
    """

    code = "corpus.provider_response"
    message = "The embedding provider {provider} gave an answer that can't be used: {reason}."
    retryable = True


class ProviderRequestError(ProviderError):
    """The provider understood the request and refused it (an unknown model, an input that is too long)."""

    code = "corpus.provider_request"
    message = "The embedding provider {provider} refused the request (HTTP {http_status}). Check the model's name."


class ProviderAuthError(ProviderError):
    code = "corpus.provider_auth"
    message = "The embedding provider {provider} did not accept the key. Set {api_key_env} to a valid one."


class ProviderRateLimitedError(ProviderError):
    code = "corpus.provider_rate_limited"
    status = 503
    message = "The embedding provider {provider} asks to slow down."
    retryable = True


class ProviderConfigurationError(ProviderError):
    code = "corpus.provider_configuration"
    status = 500
    message = "The embedding profile {profile} can't be used: {reason}."


class ModelNotInstalledError(ProviderError):
    code = "corpus.model_not_installed"
    status = 500
    message = "The model {model} is not installed: {problem}."


class UnknownProviderError(ProviderError):
    code = "corpus.provider_unknown"
    status = 400
    message = "There is no embedding profile {profile}. Choose one of: {known}."


class ResidencyError(ProviderError, tenants_errors.ResidencyError):
    """The refusal of a call by the residency rule, with the same code as the refusal of a tenant's settings."""

    code = tenants_errors.ResidencyError.code
    status = tenants_errors.ResidencyError.status
    message = tenants_errors.ResidencyError.message
