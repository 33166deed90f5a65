"""Where a webhook may go, address by address and URL by URL."""

from __future__ import annotations

import pytest
from django.conf import LazySettings

from apps.audit.webhooks.addresses import may_be_sent_to, target_of
from apps.audit.webhooks.errors import WebhookUrlError

INSIDE = (
    *("127.0.0.1", "127.255.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0", "0.1.2.3"),  # noqa: S104
    *("169.254.169.254", "169.254.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "198.18.0.1"),
    *("192.0.2.1", "192.0.0.170", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1"),
    *("ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1"),
    *(
        "64:ff9b::808:808",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        "2002:7f00:1::",
        "2002:a00:1::1",
    ),
    *("2001:0:7f00:1::1", "no address", ""),
)
OUTSIDE = ("93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "2a00:1450::1")


@pytest.mark.parametrize("address", INSIDE)
def test_an_address_inside_is_refused(address: str) -> None:
    assert not may_be_sent_to(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_one_outside_is_not(address: str) -> None:
    assert may_be_sent_to(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "::1", "fd00::1", "::ffff:10.0.0.1"])
def test_a_host_that_the_setting_names_may_lie_inside(address: str) -> None:
    assert may_be_sent_to(address, private=True)


@pytest.mark.parametrize("address", ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "224.0.0.1"])
def test_but_never_link_local_where_metadata_services_are(address: str) -> None:
    assert not may_be_sent_to(address, private=True)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://hooks.example.com/", "https://"),
        ("ftp://hooks.example.com/", "https://"),
        ("https:///path", "no host"),
        ("https://user:word@hooks.example.com/", "password"),
        ("https://hooks.example.com@127.0.0.1/", "password"),
        ("https://hooks.example.com/#part", "fragment"),
        ("https://hooks.example.com:22/", "port 22"),
        ("https://hooks.example.com:0/", "port"),
        ("https://hooks.example.com:99999/", "no URL"),
        ("https://[::1/", "no URL"),
        ("https://hooks.example.com\\@127.0.0.1/", "characters"),
        ("https://hooks.example.com/\r\nHost: other", "characters"),
        ("https://h\u00f6oks.example.com/", "characters"),
        ("https://127.0.0.1/", "private"),
        ("https://2130706433/", "private"),
        ("https://0x7f.1/", "private"),
        ("https://0177.0.0.1/", "private"),
        ("https://[::1]/", "private"),
        ("https://[::ffff:169.254.169.254]/", "private"),
        ("https://localhost/", "private"),
        ("https://a.localhost./", "private"),
        ("https://hooks.example.com/" + "x" * 2_000, "longer"),
    ],
)
def test_a_url_that_nothing_is_sent_to_is_refused_with_the_reason(url: str, problem: str) -> None:
    with pytest.raises(WebhookUrlError, match=problem):
        target_of(url)


def test_a_url_is_taken_apart(settings: LazySettings) -> None:
    settings.GLASSBOX_WEBHOOK_PORTS = (443, 8443)
    found = target_of("https://Hooks.Example.com:8443/a/b?c=d%20e")
    assert (found.host, found.port, found.path) == ("hooks.example.com", 8443, "/a/b?c=d%20e")
    assert found.authority == "hooks.example.com:8443"
    assert target_of("https://hooks.example.com").path == "/"
    assert target_of("https://[2606:2800:220:1::1]/").authority == "[2606:2800:220:1::1]"
