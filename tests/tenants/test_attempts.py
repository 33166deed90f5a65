"""Signing in and API keys that fail too often: who must wait, for how long, who need not, and who is told."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import LazySettings
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.cache import cache
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from apps.audit.models import Event
from apps.tenants.attempts import attempt_begin, letter_asked
from apps.tenants.client_address import address_of
from apps.tenants.context import open_scope
from apps.tenants.errors import TooManyAttemptsError, TooManyLettersError
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.factories import Firm, make_firm, make_key, make_member
from tests.visitor import Page

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
HERE, THERE = "192.0.2.7", "198.51.100.9"


def counted() -> list[str]:
    """The keys under which something is counted. Others use this Redis too."""
    start = cache.make_key("")
    client = cache._cache.get_client(None)  # type: ignore[attr-defined]
    return [key.decode().removeprefix(start) for key in client.scan_iter(match=f"{start}attempts:*")]


@pytest.fixture(autouse=True)
def limits(settings: LazySettings) -> None:
    """Three of a name from one address, five of a name, six from an address, three of a key; counted from nothing."""
    settings.GLASSBOX_SIGN_IN_FAILURES = 3
    settings.GLASSBOX_SIGN_IN_FAILURES_OF_NAME = 5
    settings.GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS = 6
    settings.GLASSBOX_KEY_FAILURES = 3
    settings.GLASSBOX_FAILURE_WINDOW_SECONDS = 600
    cache.delete_many(counted())


@pytest.fixture
def acme() -> Firm:
    firm = make_firm("acme")
    make_member(firm, "alice", Role.ANALYST, password=PASSWORD)
    make_member(firm, "bob", Role.ANALYST, password=PASSWORD)
    return firm


def sign_in(name: str, password: str = PASSWORD, *, at: str = HERE) -> Page:
    return Page(Client(REMOTE_ADDR=at).post("/admin/login/", {"username": name, "password": password}))


def failed(name: str, times: int, *, at: str = HERE) -> list[int]:
    return [sign_in(name, "wrong", at=at).status for _ in range(times)]


def events(firm: Firm, action: str) -> list[Event]:
    with open_scope(tenant=firm.id, reason="a test"):
        found = list(Event.objects.filter(action=action).order_by("id"))
        assert all(event.payload for event in found)
        return found


def test_after_so_many_failures_even_the_right_password_must_wait_and_the_page_says_how_long(acme: Firm) -> None:
    assert failed("alice", 4) == [200, 200, 200, 429]
    page = sign_in("alice")
    assert page.status == 429
    assert 1 <= int(page.response.headers["Retry-After"]) <= 600
    assert "no-store" in page.response.headers["Cache-Control"]
    assert "no password that you enter here is checked" in page.text
    assert "minutes from now" in page.text
    assert "UTC" in page.text


def test_others_from_there_and_the_person_from_elsewhere_need_not_wait(acme: Firm) -> None:
    failed("alice", 10)
    assert sign_in("bob").status == 302
    assert sign_in("alice", at=THERE).status == 302


def test_the_window_ends_whatever_was_tried_meanwhile(acme: Firm) -> None:
    failed("alice", 3)
    client = cache._cache.get_client(None)  # type: ignore[attr-defined]
    left = {key: client.pttl(cache.make_key(key)) for key in counted()}
    assert len(left) == 3
    assert all(0 < each <= 600_000 for each in left.values())
    assert failed("alice", 4) == [429] * 4
    assert all(client.pttl(cache.make_key(key)) < before for key, before in left.items())
    # Redis ends it then; here it is ended now.
    for key in left:
        client.pexpire(cache.make_key(key), 1)
    time.sleep(0.1)
    assert sign_in("alice").status == 302


@pytest.mark.slow
def test_a_success_forgets_what_the_person_mistyped_and_counts_as_no_failure(acme: Firm) -> None:
    for _ in range(3):
        assert failed("alice", 1) == [200]
        assert sign_in("alice").status == 302
    assert failed("alice", 2) == [200, 200]
    assert [sign_in("bob").status for _ in range(10)] == [302] * 10


def test_a_name_that_nobody_has_is_treated_alike(acme: Firm) -> None:
    known, unknown = failed("alice", 5), failed("nobody", 3, at=THERE)
    assert (known, unknown) == ([200, 200, 200, 429, 429], [200, 200, 200])
    pages = [sign_in(name, at=at) for name, at in (("alice", HERE), ("nobody", THERE))]
    assert [page.status for page in pages] == [429, 429]
    told = [page.text.split(" no password that you enter")[1] for page in pages]
    assert told[0] == told[1]


def test_a_name_is_the_same_however_it_is_written(acme: Firm) -> None:
    names = ("alice", " ALICE ", "\N{FULLWIDTH LATIN SMALL LETTER A}lice")
    assert [failed(name, 1) for name in names] == [[200], [200], [200]]
    assert sign_in("alice").status == 429


def test_one_address_that_tries_many_names_waits_for_all_of_them_and_no_other_address_does(acme: Firm) -> None:
    assert [failed(f"name-{number}", 1) for number in range(7)] == [[200]] * 6 + [[429]]
    assert sign_in("bob").status == 429
    assert sign_in("bob", at=THERE).status == 302


def test_a_name_that_is_tried_from_many_addresses_waits_everywhere(acme: Firm) -> None:
    assert [failed("alice", 1, at=f"203.0.113.{number}") for number in range(6)] == [[200]] * 5 + [[429]]
    assert sign_in("alice", at=THERE).status == 429


@pytest.mark.slow
def test_a_refused_attempt_uses_up_nothing_of_the_other_limits(acme: Firm) -> None:
    failed("alice", 30)
    assert failed("bob", 3) == [200, 200, 200]
    assert failed("alice", 1, at=THERE) == [200]


def test_a_form_that_lacks_something_is_no_attempt(acme: Firm) -> None:
    client = Client(REMOTE_ADDR=HERE)
    for _ in range(9):
        assert client.post("/admin/login/", {"username": "alice", "password": ""}).status_code == 200
    assert sign_in("alice").status == 302


def test_guesses_at_one_moment_are_all_counted(settings: LazySettings) -> None:
    def guess(number: int) -> bool:
        try:
            attempt_begin(username="alice", address=HERE)
        except TooManyAttemptsError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(guess, range(40))) == 3


def test_the_tenant_is_told_once_a_window_without_name_or_address(acme: Firm) -> None:
    failed("alice", 9)
    failed("nobody", 2)
    (event,) = events(acme, "tenants.session.locked_out")
    assert event.outcome == "refused"
    assert event.payload["core"] == {
        "user_id": str(event.subject_id),
        "limit": "name_from_address",
        "failures": 3,
        "seconds": 600,
    }
    assert len(events(acme, "tenants.session.login_failed")) == 3


def test_what_is_counted_names_nobody(acme: Firm) -> None:
    failed("alice", 1)
    assert len(counted()) == 3
    assert not [key for key in counted() if "alice" in key or HERE in key]


def test_an_address_that_is_shut_out_is_told_to_the_log_of_the_platform_without_naming_it(
    acme: Firm, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="glassbox.tenants"):
        for number in range(8):
            failed(f"name-{number}", 1)
    (said,) = [record.getMessage() for record in caplog.records if record.name == "glassbox.tenants"]
    assert said == "sign-ins from one address are refused for 600 s: 6 failed"


def test_without_redis_people_sign_in_and_the_log_says_that_nothing_is_limited(
    acme: Firm, settings: LazySettings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.CACHES = {**settings.CACHES, "default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere"}}
    with caplog.at_level(logging.ERROR, logger="glassbox.tenants"):
        assert failed("alice", 5) == [200] * 5
        assert sign_in("alice").status == 302
    assert "failures to sign in are not limited: Redis can't be reached (ConnectionError)" in caplog.text


def test_the_secret_of_a_key_can_be_guessed_at_so_often_and_its_tenant_is_told(acme: Firm) -> None:
    key, plain = make_key(acme)
    wrong = plain[:-4] + "xxxx"
    assert [Api(wrong).get("/api/v1/me/").status_code for _ in range(4)] == [401, 401, 401, 429]
    refused = Api(plain).get("/api/v1/me/")
    assert (refused.status_code, refused.json()["code"]) == (429, "tenants.too_many_key_attempts")
    assert 1 <= int(refused["Retry-After"]) <= 600
    (event,) = events(acme, "tenants.api_key.guessed")
    assert (event.subject_id, event.outcome) == (key.id, "refused")
    assert event.payload["core"] == {"failures": 3, "seconds": 600}


def test_other_keys_of_that_address_and_the_key_from_elsewhere_go_on(acme: Firm) -> None:
    _, plain = make_key(acme)
    _, other = make_key(acme)
    for _ in range(4):
        Api(plain[:-4] + "xxxx").get("/api/v1/me/")
    assert Api(other).get("/api/v1/me/").status_code == 200
    elsewhere = Api(plain)
    elsewhere.client = Client(REMOTE_ADDR=THERE)
    assert elsewhere.get("/api/v1/me/").status_code == 200


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, "203.0.113.5", HERE),
        (1, "203.0.113.5", "203.0.113.5"),
        (1, "1.1.1.1, 203.0.113.5", "203.0.113.5"),
        (2, "1.1.1.1, 203.0.113.5, 10.0.0.1", "203.0.113.5"),
        (2, "203.0.113.5", "203.0.113.5"),
        (1, "", HERE),
        (1, "::ffff:203.0.113.5", "203.0.113.5"),
        (1, "2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        (1, "unknown", "unknown"),
    ],
)
def test_the_address_is_what_our_own_proxies_tell(
    proxies: int, forwarded: str, expected: str, settings: LazySettings
) -> None:
    settings.GLASSBOX_PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert address_of(RequestFactory(REMOTE_ADDR=HERE).get("/", headers=headers)) == expected


def test_strangers_use_up_nobody_elses_letters(settings: LazySettings) -> None:
    """Elsewhere somebody asks too often for a letter to alice: she may still, from where she is."""
    for _ in range(3):
        assert letter_asked(username="alice", address="192.0.2.66")
    with pytest.raises(TooManyLettersError):
        letter_asked(username="alice", address="192.0.2.66")
    assert letter_asked(username="alice", address=HERE)


def test_from_many_places_no_further_letter_is_sent_and_nobody_is_refused(settings: LazySettings) -> None:
    """Those that are under way work: whoever asks once more is told the same."""
    settings.GLASSBOX_SIGN_IN_FAILURES_OF_NAME = 4
    asked = [letter_asked(username="alice", address=f"192.0.2.{number}") for number in range(100, 106)]
    assert asked == [True] * 4 + [False] * 2


def test_how_long_an_answer_takes_tells_nobody_who_is_a_member(acme: Firm) -> None:
    """What is written of a member alone is written once the answer was sent."""
    seen, answers = [], []
    for name in ("alice", "nobody"):
        with CaptureQueriesContext(connection) as before_the_end:
            request = RequestFactory(REMOTE_ADDR=HERE).post("/admin/login/", {"username": name, "password": "wrong"})
            SessionMiddleware(lambda _: HttpResponse()).process_request(request)
            request.user, request._dont_enforce_csrf_checks = AnonymousUser(), True  # type: ignore[attr-defined]
            response = admin.site.login(request)
        seen.append([each["sql"].split()[0] for each in before_the_end if "audit_record" in each["sql"]])
        answers.append(response)
    assert seen == [[], []]
    assert not events(acme, "tenants.session.login_failed")
    # As Django does when the last byte was sent, without its signal, which closes connections.
    for closer in [each for response in answers for each in response._resource_closers]:
        closer()
    assert len(events(acme, "tenants.session.login_failed")) == 1
