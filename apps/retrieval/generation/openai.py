"""Write answers with OpenAI, or with any server that speaks its protocol."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import openai
from openai.types.chat import ChatCompletionMessageParam

from apps.corpus.providers.base.http import Failures
from apps.corpus.providers.base.openai import OpenAIServer
from apps.corpus.providers.base.receivers import Purpose
from apps.errors import ApplicationError
from apps.retrieval.contracts import ContextBlock, Finding, GeneratedAnswer, QueryAnalysis, Refusal, RefusalReason
from apps.retrieval.errors import (
    GenerationKeyError,
    GenerationRateLimitedError,
    GenerationRequestError,
    GenerationTimeoutError,
    GenerationUnavailableError,
    MalformedAnswerError,
    UnknownReferenceError,
)
from apps.retrieval.generation.calls import UNNOTED, Call, Calls
from apps.retrieval.generation.profiles import GenerationProfile
from apps.retrieval.generation.prompt import SYSTEM, repair_message, revise_message, user_message
from apps.retrieval.generation.reply import Reply, read_reply

Messages = list[ChatCompletionMessageParam]
COMPLETION_SEED: Final = 7
"""Any number, as long as it stays the same: what is searched for should not change from one asking to the next."""
_CUT_OFF: Final = {"length": "its answer was cut off", "content_filter": "its provider's filter blocked the answer"}
"""Ends of a completion after which the text is not whole: half an answer may say the opposite."""
_NOT_THERE: Final = (
    "According to the model {model}, the documents that this question may reach do not answer it. Ask about what "
    "they contain, or name the fund or company and the period."
)


class OpenAICompatibleGenerator(OpenAIServer[GenerationProfile]):
    """A generator that makes one call in JSON mode, and a second one if the first reply cannot be used."""

    failures = Failures(
        timed_out=GenerationTimeoutError,
        unavailable=GenerationUnavailableError,
        unusable=GenerationUnavailableError,
        key_refused=GenerationKeyError,
        rate_limited=GenerationRateLimitedError,
        request_refused=GenerationRequestError,
    )
    largest_body_bytes = 8 * 1024 * 1024

    def generate(self, analysis: QueryAnalysis, context: ContextBlock, calls: Calls = UNNOTED) -> GeneratedAnswer:
        """Ask the model; see `Generator.generate`.

        Raises:  GenerationUnavailableError, GenerationTimeoutError, GenerationKeyError, GenerationRequestError: no
                     reply.
                 MalformedAnswerError, UnknownReferenceError: the second reply cannot be used either.
        """
        messages = _asked(analysis, context)
        with self._call(calls, Purpose.ANSWER, context) as call:
            content = self._ask(messages, call)
        reply = read_reply(content, _ref_ids(context))
        if isinstance(reply, Reply):
            return self._answer(reply, 1)
        again = _sent_back(content, repair_message(reply.problem, context))
        note = f"The first reply was sent back: {reply.problem}."
        with self._call(calls, Purpose.REPAIR, context) as call:
            return self._last([*messages, *again], call, context, 2, note)

    def revise(
        self,
        analysis: QueryAnalysis,
        context: ContextBlock,
        draft: GeneratedAnswer,
        findings: Sequence[Finding],
        calls: Calls = UNNOTED,
    ) -> GeneratedAnswer | None:
        """Ask once more, naming the failed claims; see `Revising.revise`. An unusable reply is not sent back."""
        written = json.dumps({"answer": draft.text, "ref_ids": list(draft.ref_ids)}, ensure_ascii=False)
        again = _sent_back(written, revise_message(findings, context))
        with self._call(calls, Purpose.REVISION, context) as call:
            return self._last([*_asked(analysis, context), *again], call, context, draft.attempts + 1)

    def complete(self, *, instructions: str, data: str, timeout_seconds: float, calls: Calls = UNNOTED) -> str:
        """Ask for something other than an answer; see `Completing.complete`."""
        with self._call(calls, Purpose.WORDINGS, None, timeout_seconds) as call:
            return self._ask(
                [{"role": "system", "content": instructions}, {"role": "user", "content": data}],
                call,
                seed=COMPLETION_SEED if self._profile.send_seed else None,
            )

    def _call(
        self, calls: Calls, purpose: Purpose, context: ContextBlock | None, timeout_seconds: float = math.inf
    ) -> AbstractContextManager[Call]:
        seconds = min(timeout_seconds, self._profile.timeout_seconds)
        return calls.begin(self, purpose, context=context, timeout_seconds=seconds)

    def _last(
        self, messages: Messages, call: Call, context: ContextBlock, attempts: int, *notes: str
    ) -> GeneratedAnswer:
        """Ask and return the answer; raise if the reply cannot be used, which ends the asking."""
        reply = read_reply(self._ask(messages, call), _ref_ids(context))
        if isinstance(reply, Reply):
            return self._answer(reply, attempts, *notes)
        if reply.unknown_refs:
            raise UnknownReferenceError(model=self.model, count=reply.unknown_refs)
        raise MalformedAnswerError(model=self.model, problem=reply.problem)

    def _answer(self, reply: Reply, attempts: int, *notes: str) -> GeneratedAnswer:
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
            notes=(
                *notes,
                *((f"{reply.unread[0].upper()}{reply.unread[1:]}; they are left out.",) if reply.unread else ()),
            ),
            refusal=refusal,
            claims=() if refusal else reply.claims,
            calculations=() if refusal else reply.calculations,
        )

    def _ask(self, messages: Messages, call: Call, *, seed: int | None = None) -> str:
        body = self._post(
            lambda client, timeout: client.chat.completions.with_streaming_response.create(
                model=self.model,
                messages=messages,
                response_format={"type": "json_object"},
                temperature=0.0 if self._profile.send_temperature else openai.omit,
                seed=openai.omit if seed is None else seed,
                timeout=timeout,
            ),
            call.timeout_seconds,
        )
        try:
            value: Any = json.loads(body)
            call.input_tokens, call.output_tokens = _tokens(value)
            choice = value["choices"][0]
            content, ended = choice["message"]["content"], choice.get("finish_reason")
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise self._unusable("it is not a chat completion") from error
        if ended in _CUT_OFF:
            raise self._unusable(_CUT_OFF[ended])
        return content if isinstance(content, str) else ""

    def _failed(self, error: type[ApplicationError], **data: Any) -> ApplicationError:
        return error(model=self.model, **data)

    def _rate_limited(self, retry_after: str | None) -> ApplicationError:
        """Say when to ask again, as the provider does: in seconds, or at a date, which is passed on unchanged."""
        wait = ""
        if retry_after:
            wait = f" (again in {retry_after} seconds)" if retry_after.isdigit() else f" (again after {retry_after})"
        return self._failed(self.failures.rate_limited, wait=wait)


def _tokens(value: Any) -> tuple[int | None, int | None]:
    """Return how many tokens were read and written, None where the server does not say."""
    usage = value.get("usage") if isinstance(value, dict) else None
    counts = usage if isinstance(usage, dict) else {}
    read, written = (counts.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return (read if isinstance(read, int) else None), (written if isinstance(written, int) else None)


def _asked(analysis: QueryAnalysis, context: ContextBlock) -> Messages:
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": user_message(analysis, context)}]


def _sent_back(content: str, message: str) -> Messages:
    return [{"role": "assistant", "content": content}, {"role": "user", "content": message}]


def _ref_ids(context: ContextBlock) -> frozenset[str]:
    return frozenset(passage.ref_id for passage in context.passages)
