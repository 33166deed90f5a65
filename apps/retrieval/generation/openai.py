"""Write answers with OpenAI, or with any server that speaks its protocol."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import Any, Final

import httpx2
import openai
from openai.types.chat import ChatCompletionMessageParam

from apps.retrieval.contracts import ContextBlock, Finding, GeneratedAnswer, QueryAnalysis, Refusal, RefusalReason
from apps.retrieval.errors import (
    GenerationError,
    GenerationKeyError,
    GenerationRateLimitedError,
    GenerationRequestError,
    GenerationTimeoutError,
    GenerationUnavailableError,
    MalformedAnswerError,
    UnknownReferenceError,
)
from apps.retrieval.generation.profiles import GenerationProfile
from apps.retrieval.generation.prompt import SYSTEM, repair_message, revise_message, user_message
from apps.retrieval.generation.reply import Reply, read_reply

CONNECT_TIMEOUT_SECONDS: Final = 5.0
COMPLETION_SEED: Final = 7
"""Any number, as long as it stays the same: what is searched for should not change from one asking to the next."""
LARGEST_BODY_BYTES: Final = 8 * 1024 * 1024
_CUT_OFF: Final = {"length": "its answer was cut off", "content_filter": "its provider's filter held the answer back"}
"""Ends of a completion after which the text is not whole: half an answer may say the opposite."""
_NOT_THERE: Final = (
    "The documents that this question may reach do not answer it, says the model {model}. Ask about what they hold, or "
    "name the fund or company and the period."
)


class OpenAICompatibleGenerator:
    """A generator that makes one call in JSON mode, and a second one if the first reply cannot be used."""

    def __init__(self, profile: GenerationProfile) -> None:
        self._profile = profile
        self._client: openai.OpenAI | None = None

    @property
    def name(self) -> str:
        return self._profile.name

    @property
    def model(self) -> str:
        return self._profile.model

    @property
    def region(self) -> str:
        return self._profile.region

    def generate(self, analysis: QueryAnalysis, context: ContextBlock) -> GeneratedAnswer:
        """Ask the model; see `Generator.generate`.

        Raises:  GenerationUnavailableError, GenerationTimeoutError, GenerationKeyError, GenerationRequestError: no
                     reply.
                 MalformedAnswerError, UnknownReferenceError: the second reply cannot be used either.
        """
        known = frozenset(passage.ref_id for passage in context.passages)
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": user_message(analysis, context)},
        ]
        content = self._ask(messages)
        reply = read_reply(content, known)
        if isinstance(reply, Reply):
            return self._answer(reply, attempts=1)
        first_problem = reply.problem
        messages += [
            {"role": "assistant", "content": content},
            {"role": "user", "content": repair_message(first_problem, context)},
        ]
        reply = read_reply(self._ask(messages), known)
        if isinstance(reply, Reply):
            return self._answer(reply, attempts=2, notes=(f"The first reply was sent back: {first_problem}.",))
        if reply.unknown_refs:
            raise UnknownReferenceError(model=self.model, count=reply.unknown_refs)
        raise MalformedAnswerError(model=self.model, problem=reply.problem)

    def revise(
        self, analysis: QueryAnalysis, context: ContextBlock, draft: GeneratedAnswer, findings: Sequence[Finding]
    ) -> GeneratedAnswer | None:
        """Ask once more, naming the failed claims; see `Revising.revise`. An unusable reply is not sent back."""
        written = json.dumps({"answer": draft.text, "ref_ids": list(draft.ref_ids)}, ensure_ascii=False)
        content = self._ask(
            [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": user_message(analysis, context)},
                {"role": "assistant", "content": written},
                {"role": "user", "content": revise_message(findings, context)},
            ]
        )
        reply = read_reply(content, frozenset(passage.ref_id for passage in context.passages))
        if isinstance(reply, Reply):
            return self._answer(reply, attempts=draft.attempts + 1)
        if reply.unknown_refs:
            raise UnknownReferenceError(model=self.model, count=reply.unknown_refs)
        raise MalformedAnswerError(model=self.model, problem=reply.problem)

    def complete(self, *, instructions: str, data: str, timeout_seconds: float) -> str:
        """Ask for something other than an answer; see `Completing.complete`."""
        return self._ask(
            [{"role": "system", "content": instructions}, {"role": "user", "content": data}],
            timeout_seconds=min(timeout_seconds, self._profile.timeout_seconds),
            seed=COMPLETION_SEED if self._profile.send_seed else None,
        )

    def _answer(self, reply: Reply, *, attempts: int, notes: tuple[str, ...] = ()) -> GeneratedAnswer:
        refusal = None
        if not reply.answer:
            refusal = Refusal(reason=RefusalReason.NOT_IN_CONTEXT, message=_NOT_THERE.format(model=self.model))
        return GeneratedAnswer(
            text=reply.answer,
            ref_ids=() if refusal else reply.ref_ids,
            quotes=(),
            generator=self.name,
            model=self.model,
            attempts=attempts,
            notes=notes,
            refusal=refusal,
        )

    def _ask(
        self,
        messages: list[ChatCompletionMessageParam],
        *,
        timeout_seconds: float | None = None,
        seed: int | None = None,
    ) -> str:
        body = self._post(messages, timeout_seconds or self._profile.timeout_seconds, seed)
        try:
            value: Any = json.loads(body)
            choice = value["choices"][0]
            content, ended = choice["message"]["content"], choice.get("finish_reason")
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise GenerationUnavailableError(model=self.model, reason="it is not a chat completion") from error
        if ended in _CUT_OFF:
            raise GenerationUnavailableError(model=self.model, reason=_CUT_OFF[ended])
        return content if isinstance(content, str) else ""

    def _post(self, messages: list[ChatCompletionMessageParam], timeout_seconds: float, seed: int | None) -> bytes:
        """Send one request and read the whole body before the deadline.

        The client's own timeout counts from one received block to the next, so a server that sends one byte per second
        would hold a request forever. Reading the body block by block makes the deadline cover the whole body.
        """
        deadline = time.monotonic() + timeout_seconds
        blocks: list[bytes] = []
        size_bytes = 0
        try:
            with self._connected().chat.completions.with_streaming_response.create(
                model=self.model,
                messages=messages,
                response_format={"type": "json_object"},
                temperature=0.0 if self._profile.send_temperature else openai.omit,
                seed=openai.omit if seed is None else seed,
                timeout=openai.Timeout(timeout_seconds, connect=CONNECT_TIMEOUT_SECONDS),
            ) as response:
                for block in response.iter_bytes():
                    blocks.append(block)
                    size_bytes += len(block)
                    if time.monotonic() > deadline:
                        raise self._timed_out(timeout_seconds)
                    if size_bytes > LARGEST_BODY_BYTES:
                        raise GenerationUnavailableError(model=self.model, reason="the answer is too large")
        except openai.OpenAIError as error:
            raise self._translated(error, timeout_seconds) from error
        except httpx2.TimeoutException as error:
            raise self._timed_out(timeout_seconds) from error
        except httpx2.RequestError as error:
            raise GenerationUnavailableError(model=self.model, reason="the connection broke off") from error
        return b"".join(blocks)

    def _connected(self) -> openai.OpenAI:
        if self._client is None:
            variable = self._profile.api_key_env
            key = os.environ.get(variable, "") if variable else "unused"
            if not key:
                raise GenerationKeyError(model=self.model, api_key_env=variable)
            self._client = openai.OpenAI(
                api_key=key,
                base_url=self._profile.base_url,
                max_retries=0,
                timeout=openai.Timeout(self._profile.timeout_seconds, connect=CONNECT_TIMEOUT_SECONDS),
            )
        return self._client

    def _timed_out(self, timeout_seconds: float) -> GenerationTimeoutError:
        return GenerationTimeoutError(model=self.model, timeout_s=timeout_seconds)

    def _translated(self, error: openai.OpenAIError, timeout_seconds: float) -> GenerationError:
        match error:
            case openai.APITimeoutError():
                return self._timed_out(timeout_seconds)
            case openai.APIConnectionError():
                return GenerationUnavailableError(model=self.model, reason="no connection")
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return GenerationKeyError(model=self.model, api_key_env=self._profile.api_key_env or "the key")
            case openai.RateLimitError():
                return GenerationRateLimitedError(
                    model=self.model, wait=_wait(error.response.headers.get("retry-after"))
                )
            case openai.APIStatusError() if error.status_code >= 500 or error.status_code in (408, 409):
                return GenerationUnavailableError(model=self.model, reason=f"HTTP {error.status_code}")
            case openai.APIStatusError():
                return GenerationRequestError(model=self.model, http_status=error.status_code)
            case _:
                return GenerationUnavailableError(model=self.model, reason=type(error).__name__)


def _wait(retry_after: str | None) -> str:
    """Return when to ask again, as the provider says it: in seconds, or at a date, which is passed on unchanged."""
    if not retry_after:
        return ""
    return f" (again in {retry_after} seconds)" if retry_after.isdigit() else f" (again after {retry_after})"
