"""Decide where a webhook may be sent: outside this network, by https, and only to an address that was checked.

A user who may name an address that this server calls could otherwise reach what only the server can reach: databases,
metadata services of a cloud, other programs of the machine. So a name is resolved once, all of its addresses are
checked, and the connection goes to one of these. This is repeated at each attempt, since a name may point elsewhere by
then. An address in the URL itself is refused when the URL is given. Only the worker resolves names, since no
transaction waits for a name server.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from apps.audit.webhooks.errors import WebhookUrlError

MAX_URL_CHARS: Final = 2_000
_HTTPS_PORT: Final = 443
# A gateway translates these networks to the IPv4 address in the last 32 bits.
_NAT64: Final = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressRefusedError(Exception):
    """A name points to an address that nothing is sent to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A URL taken apart. host: as TLS and the Host header name it. path: with its query."""

    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == _HTTPS_PORT else f"{name}:{self.port}"


def target_of(url: str) -> Target:
    """Take a URL apart. Raises: WebhookUrlError: it can't be sent to, wherever its name points."""
    if len(url) > MAX_URL_CHARS:
        raise WebhookUrlError(problem=f"it is longer than {MAX_URL_CHARS} characters")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise WebhookUrlError(problem="it holds characters that a URL can't hold; write them in percent signs")
    parts = _split(url)
    if parts.scheme != "https":
        raise WebhookUrlError(problem="it does not begin with https://")
    if parts.username is not None or parts.password is not None:
        raise WebhookUrlError(problem="it holds a user name or a password; what is sent is signed instead")
    if "#" in url:
        raise WebhookUrlError(problem="it has a fragment, which is never sent")
    host, port = parts.hostname or "", _HTTPS_PORT if parts.port is None else parts.port
    if not host or "%" in host:
        raise WebhookUrlError(problem="it names no host")
    _require_outside(host)
    ports: Sequence[int] = settings.GLASSBOX_WEBHOOK_PORTS
    if port not in ports:
        allowed = ", ".join(map(str, ports))
        raise WebhookUrlError(problem=f"port {port} is not one that is sent to here ({allowed})")
    return Target(host=host, port=port, path=f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}")


def _require_outside(host: str) -> None:
    """Refuse hosts that can be judged without a name server: addresses in any form, and names of the machine itself."""
    if host in settings.GLASSBOX_WEBHOOK_PRIVATE_HOSTS:
        return
    problem = "it lies in a private network; GLASSBOX_WEBHOOK_PRIVATE_HOSTS names the hosts that may"
    if host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost"):
        raise WebhookUrlError(problem=problem)
    try:
        found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return
    if not all(may_be_sent_to(str(each[4][0])) for each in found):
        raise WebhookUrlError(problem=problem)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        # The port is read here because one that is not a number raises when it is read.
        _ = parts.port
    except ValueError:
        raise WebhookUrlError(problem="it is no URL") from None
    return parts


def host_of(url: str) -> str:
    """Return the host, for the log and for lists. They omit the rest of a URL, which may be secret."""
    return urlsplit(url).hostname or ""


async def addresses_of(target: Target) -> list[str]:
    """Resolve the target's name and check each address. Raises: AddressRefusedError; OSError: it can't be resolved."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    is_named = target.host in settings.GLASSBOX_WEBHOOK_PRIVATE_HOSTS
    # All addresses must pass. A name that points both outside and inside is not an honest mistake of a receiver.
    if not addresses or not all(may_be_sent_to(address, private=is_named) for address in addresses):
        raise AddressRefusedError
    return addresses


def may_be_sent_to(address: str, *, private: bool = False) -> bool:
    """Return whether the address lies outside this network.

    Args: private: a setting names its host, so the address may lie inside, but it may never be link-local.
    """
    try:
        every = _meant(ipaddress.ip_address(address))
    except ValueError:
        return False
    return all(_is_outside(each) or (private and _is_within(each)) for each in every)


def _meant(address: Address) -> list[Address]:
    """Return the address itself and the IPv4 addresses that it stands for."""
    found: list[Address] = [address]
    if isinstance(address, ipaddress.IPv6Address):
        last = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if address.ipv4_mapped is not None:
            return [address.ipv4_mapped]
        if any(address in network for network in _NAT64) or (address in _COMPATIBLE and int(address) > 1):
            found.append(last)
        if address.sixtofour is not None:
            found.append(address.sixtofour)
        if address.teredo is not None:
            found += address.teredo
    return found


def _is_outside(address: Address) -> bool:
    # Not every global address belongs to a host: multicast and the old site-local addresses do not.
    special = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_link_local
    return address.is_global and not special and not getattr(address, "is_site_local", False)


def _is_within(address: Address) -> bool:
    # The loopback address of IPv6 also counts as reserved, so it is tested first.
    if address.is_loopback:
        return True
    return address.is_private and not (
        address.is_link_local or address.is_unspecified or address.is_multicast or address.is_reserved
    )
