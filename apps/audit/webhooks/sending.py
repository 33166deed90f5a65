"""Make one request to an endpoint. No transaction is open during it, and only the status of the answer is read."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

import httpx
from django.conf import settings

from apps.audit.webhooks.addresses import AddressRefusedError, Target, addresses_of, target_of
from apps.audit.webhooks.errors import WebhookUrlError

# The limit for the whole request: the name, the connection, the request and the answer's first line and headers.
TIMEOUT_S: Final = 10.0
# The limit for one of several addresses, so that the next one can be tried.
_CONNECT_S: Final = 4.0
GONE: Final = 410


class AttemptError(StrEnum):
    """Why an attempt failed, as a code that is stored."""

    NONE = ""
    URL = "url"  # the URL may no longer be sent to
    ADDRESS = "address_refused"
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    REDIRECT = "redirect"
    STATUS = "status"
    PROTOCOL = "protocol"
    SECRET = "secret"  # noqa: S105 (a code)
    LOST = "worker_lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """The result of a request. status: of HTTP; None if no answer came."""

    status: int | None
    duration_ms: int
    error: AttemptError


def send(url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
    """POST to an endpoint. An answer of 2xx is a success. Never raises for what the other side does."""
    began = time.monotonic()
    status, error = asyncio.run(_within_time(url, body, headers))
    return Sent(status=status, duration_ms=int((time.monotonic() - began) * 1_000), error=error)


async def _within_time(url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int | None, AttemptError]:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            target = target_of(url)
            return await _asked(target, await addresses_of(target), body, headers)
    except WebhookUrlError:
        return None, AttemptError.URL
    except AddressRefusedError:
        return None, AttemptError.ADDRESS
    except (TimeoutError, httpx.TimeoutException):
        return None, AttemptError.TIMEOUT
    except (OSError, UnicodeError):
        return None, AttemptError.DNS
    except httpx.HTTPError as error:
        return None, _kind(error)


async def _asked(
    target: Target, addresses: list[str], body: bytes, headers: Mapping[str, str]
) -> tuple[int | None, AttemptError]:
    timeout = httpx.Timeout(TIMEOUT_S, connect=_CONNECT_S)
    # Ignore the environment's proxies, which would resolve the name again, and follow no redirect.
    async with httpx.AsyncClient(timeout=timeout, trust_env=False, verify=_tls(), follow_redirects=False) as client:
        for address in addresses:
            request = client.build_request(
                "POST",
                httpx.URL(scheme="https", host=address, port=target.port, raw_path=target.path.encode()),
                content=body,
                headers={**headers, "Host": target.authority},
                # The certificate must match the name, although the connection is to an address.
                extensions={"sni_hostname": target.host, "timeout": timeout.as_dict()},
            )
            try:
                answer = await client.send(request, stream=True)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                if address == addresses[-1] or _kind(error) is AttemptError.TLS:
                    raise
                continue
            await answer.aclose()
            return answer.status_code, _judged(answer)
    raise AssertionError("there is at least one address")


def _judged(answer: httpx.Response) -> AttemptError:
    if answer.is_success:
        return AttemptError.NONE
    return AttemptError.REDIRECT if answer.is_redirect or 300 <= answer.status_code < 400 else AttemptError.STATUS


def _kind(error: httpx.HTTPError) -> AttemptError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return AttemptError.TLS
        cause = cause.__cause__ or cause.__context__
    return AttemptError.CONNECT if isinstance(error, httpx.ConnectError) else AttemptError.PROTOCOL


def _tls() -> ssl.SSLContext:
    return _context(settings.GLASSBOX_WEBHOOK_ROOTS)


@lru_cache(maxsize=4)
def _context(roots: str) -> ssl.SSLContext:
    """Return the TLS settings.

    Args: roots: a PEM file of authorities that are trusted besides the system's; empty for none.
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if roots:
        context.load_verify_locations(cafile=roots)
    return context
