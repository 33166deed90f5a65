"""The address that a request comes from. It serves only to count failures, and is neither stored nor logged."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from django.conf import settings
from django.http import HttpRequest

# A household or an office is given an IPv6 network of this size: whoever has one address in it has all of them.
_IPV6_PREFIX: Final = 64


def address_of(request: HttpRequest) -> str:
    """Return the client's address, or its network for IPv6. Empty if the server does not know it.

    With GLASSBOX_PROXIES proxies of ours, each appends the address of its client to X-Forwarded-For. The result is the
    entry that the outermost proxy appended; the client itself may have written the entries before it.
    """
    named = [each.strip() for each in request.headers.get("X-Forwarded-For", "").split(",") if each.strip()]
    proxies: int = settings.GLASSBOX_PROXIES
    text = named[-min(proxies, len(named))] if proxies and named else request.META.get("REMOTE_ADDR", "")
    try:
        address = ip_address(text)
    except ValueError:
        return str(text)
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped) if mapped else str(ip_network((address, _IPV6_PREFIX), strict=False))
    return str(address)
