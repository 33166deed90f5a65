"""The demo as a person in the admin: it signs in, works in one firm, and reads what the Ask page offers."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Final, Self

import httpx
from lxml import html

from apps.demo.tenants import DemoTenant
from apps.demo.tour.client import DemoApiError
from apps.tenants.selectors.tenants import tenant_id_of

_POLL_SECONDS: Final = 1.0
_LONGEST_CHECK_SECONDS: Final = 180
_FOUND: Final = 302
_NOT_YET: Final = 202


class DemoVisitor:
    """A browser's session of one person. Raises: DemoApiError, from every method."""

    def __init__(self, base_url: str, *, username: str, password: str) -> None:
        self._http = httpx.Client(base_url=f"{base_url}/admin", timeout=120.0)
        self._send("/login/", username=username, password=password)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def work_in(self, firm: DemoTenant) -> None:
        """Make a firm the active one."""
        self._send("/tenant/", tenant=str(tenant_id_of(firm.slug)))

    def examples(self) -> list[str]:
        """Return the questions that the Ask page offers, once they are checked."""
        path, ends = "/ask/examples/", time.monotonic() + _LONGEST_CHECK_SECONDS
        response = self._http.get(path)
        while response.status_code == _NOT_YET and time.monotonic() < ends:
            time.sleep(_POLL_SECONDS)
            response = self._http.get(path)
        if response.status_code != httpx.codes.OK:
            raise _unexpected("GET", path, response)
        offered: list[str] = html.fromstring(response.text).xpath("//button/@data-question")
        return offered

    def _send(self, path: str, **fields: str) -> None:
        # The login page sets the cookie whose token each form must send.
        if "csrftoken" not in self._http.cookies:
            self._http.get("/login/")
        fields["csrfmiddlewaretoken"] = self._http.cookies.get("csrftoken") or ""
        response = self._http.post(path, data=fields, headers={"Referer": str(self._http.base_url)})
        if response.status_code != _FOUND:
            raise _unexpected("POST", path, response)


def _unexpected(method: str, path: str, response: httpx.Response) -> DemoApiError:
    return DemoApiError(method=method, path=path, http_status=response.status_code, detail=f"{response.reason_phrase}.")
