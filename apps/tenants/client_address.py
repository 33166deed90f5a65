"""From where a request comes, for counting failures alone: it is kept nowhere and written nowhere."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from django.conf import settings
from django.http import HttpRequest

# What a household or an office is given of IPv6: whoever has one address of it has all.
_IPV6_PREFIX: Final = 64


def address_of(request: HttpRequest) -> str:
    """The client's address; of IPv6, its network. Empty where the server does not know it.

    Behind GLASSBOX_PROXIES proxies of ours, each of which appends whom it was asked by to X-Forwarded-For, it is the
    entry that the outermost one appended: what stands before that, the client has written itself.
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
