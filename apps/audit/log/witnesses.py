"""Ask a witness to cosign a checkpoint, over HTTP. No transaction is open during the request.

Source: C2SP, tlog-witness, add-checkpoint.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

import httpx

from apps.audit.errors import WitnessError
from apps.audit.log.cosignatures import Cosignature, WitnessKey, cosignature_of
from apps.audit.log.notes import InvalidNoteError

TIMEOUT_S: Final = 10.0
_LARGEST_ANSWER: Final = 64 << 10
_SIZE: Final = re.compile(r"(0|[1-9][0-9]{0,18})\n")
# Returns the proof from an earlier size of the log up to the checkpoint's. No proof is needed from size 0.
ProofFrom = Callable[[int], Sequence[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A witness. url: its submission prefix."""

    url: str
    key: WitnessKey


def cosigned(witness: Witness, note: str, *, size: int, known: int, proof: ProofFrom) -> Cosignature:
    """Have a checkpoint cosigned.

    Args:   size: the checkpoint's. known: the size that the witness is believed to have cosigned last; 0 for none.
            proof: reads the consistency proof; called outside of any request.
    Raises: WitnessError: the witness can't be reached, refuses, or does not answer with its own cosignature.
    Costs:  one request; two where the witness last cosigned another size than `known`.
    """
    answer = _asked(witness, note, known, proof)
    if answer.status_code == 409:
        last = _last_size(witness, answer)
        if last > size:
            raise WitnessError(witness=witness.key.name, problem=f"it has cosigned {last} leaves, and there are {size}")
        answer = _asked(witness, note, last, proof)
        if answer.status_code == 409 and _last_size(witness, answer) == last:
            raise WitnessError(witness=witness.key.name, problem="it contradicts itself (409)")
    if answer.status_code != 200:
        raise WitnessError(witness=witness.key.name, problem=_REFUSALS.get(answer.status_code, _other(answer)))
    try:
        return cosignature_of(note, answer.text, witness.key)
    except InvalidNoteError as error:
        raise WitnessError(witness=witness.key.name, problem=str(error)) from error


_REFUSALS: Final = {
    400: "it can't read the request (400)",
    403: "it does not know the key that signs this log (403)",
    404: "it does not know this log (404)",
    409: "it was asked by another process meanwhile (409)",
    422: "the log is no continuation of what it cosigned before (422)",
}


def _last_size(witness: Witness, answer: httpx.Response) -> int:
    """Return the size that the witness cosigned last.

    Raises: WitnessError: the answer names no size, because the witness knows another tree of this size.
    """
    told = _SIZE.fullmatch(answer.text)
    if told is None or answer.headers.get("content-type", "").partition(";")[0].strip() != "text/x.tlog.size":
        raise WitnessError(witness=witness.key.name, problem="it knows another tree of this size (409)")
    return int(told[1])


def _other(answer: httpx.Response) -> str:
    return f"it answers {answer.status_code}"


def _asked(witness: Witness, note: str, old: int, proof: ProofFrom) -> httpx.Response:
    lines = [f"old {old}", *(base64.b64encode(each).decode() for each in (proof(old) if old else ()))]
    body = "\n".join(lines) + f"\n\n{note}"
    url = f"{witness.url.rstrip('/')}/add-checkpoint"
    try:
        # Ignore the environment's proxies, and follow no redirect.
        with (
            httpx.Client(timeout=TIMEOUT_S, trust_env=False) as client,
            client.stream("POST", url, content=body.encode()) as answer,
        ):
            read, until = b"", monotonic() + TIMEOUT_S
            for part in answer.iter_bytes():
                read += part
                if len(read) > _LARGEST_ANSWER:
                    raise WitnessError(witness=witness.key.name, problem="its answer is longer than any")
                if monotonic() > until:
                    raise WitnessError(witness=witness.key.name, problem="its answer does not end")
            return httpx.Response(answer.status_code, headers=_plain(answer), content=read)
    except httpx.HTTPError as error:
        raise WitnessError(witness=witness.key.name, problem=type(error).__name__) from error


def _plain(answer: httpx.Response) -> dict[str, str]:
    return {"content-type": answer.headers.get("content-type", "text/plain")}
