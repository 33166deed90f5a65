"""The second factor: set up once, each code taken once, asked for at a decision, and taken away by two."""

from __future__ import annotations

import base64
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlparse
from uuid import UUID

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from django.db import DatabaseError, connections, transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.tenants.context import open_identity, open_scope
from apps.tenants.errors import SecondFactorError
from apps.tenants.ids import UserId
from apps.tenants.models import ApiKey, Membership, SecondFactor, User
from apps.tenants.roles import Role
from apps.tenants.second_factor.codes import enrolment_of, factor_begin, factor_confirm, factor_use, has_factor
from apps.tenants.second_factor.resets import factor_reset_agree, factor_reset_ask
from apps.tenants.second_factor.sealing import unseal
from apps.tenants.selectors.grants import key_principal, user_principal
from apps.tenants.services.members import membership_confirm
from apps.tenants.services.personal_keys import personal_key_create
from apps.tenants.tokens import Identity
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_invited, make_member
from tests.isolation.harness import sql
from tests.raising import raises_code
from tests.tenants.test_attempts import counted
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _required(settings: LazySettings) -> None:
    settings.GLASSBOX_REQUIRE_SECOND_FACTOR = True
    cache.delete_many(counted())


@pytest.fixture
def acme() -> Firm:
    firm = baked(make_firm, "acme")
    for name, role in (("amy", Role.TENANT_ADMIN), ("rita", Role.REVIEWER), ("rob", Role.REVIEWER)):
        make_member(firm, name, role, password=PASSWORD)
    return firm


def user(name: str) -> User:
    return User.objects.get_by_natural_key(name)


class Device:
    """An authenticator app. Each code that is asked for is of a later step, so that none is refused as used."""

    def __init__(self, address: str) -> None:
        secret = parse_qs(urlparse(address).query)["secret"][0]
        self._totp = TOTP(base64.b32decode(secret + "=" * (-len(secret) % 8)), 6, SHA1(), 30)  # noqa: S303
        self._step = int(time.time()) // 30 - 2

    def code(self) -> str:
        self._step = max(self._step + 1, int(time.time()) // 30 - 1)
        return self._totp.generate(self._step * 30).decode()


def set_up(firm: Firm, name: str) -> tuple[Device, tuple[str, ...]]:
    with as_(user_principal(user(name), firm.id)):
        factor_begin(user(name))
        enrolment = enrolment_of(user(name))
        assert enrolment is not None
        device = Device(enrolment.address)
        codes = factor_confirm(user(name), code=device.code())
    return device, codes


def membership_waiting(firm: Firm) -> Membership:
    return make_invited(firm, "dora", Role.DPO, by=user_principal(user("amy"), firm.id))


@pytest.mark.slow
def test_it_is_set_up_in_the_browser_and_asked_for_at_a_decision(acme: Firm) -> None:
    membership = membership_waiting(acme)
    visitor = Visitor("rita")
    assert "Enter a code before you decide" in visitor.open("index").response.content.decode()
    asked = visitor.send("tenants_membership_confirm", membership.id)
    assert "/second-factor/code/" in asked.response.headers["Location"]
    visitor.send("second_factor", password=PASSWORD)
    page = visitor.open("second_factor_enrol")
    text = re.search(r"<code>([A-Z2-7 ]+)</code>", page.response.content.decode())
    assert text is not None
    device = Device(f"otpauth://totp/x?secret={text.group(1).replace(' ', '')}")
    codes = visitor.send("second_factor_enrol", code=device.code())
    assert len(codes.tree.xpath("//*[@id='recovery-codes']/li")) == 10
    # Setting it up was entering a code.
    assert visitor.send("tenants_membership_confirm", membership.id).status == 302
    with open_scope(tenant=acme.id, reason="a test"):
        assert Membership.objects.get(id=membership.id).is_in_force


def test_a_code_leads_back_to_the_decision(acme: Firm) -> None:
    device, _ = set_up(acme, "rita")
    membership = membership_waiting(acme)
    visitor = Visitor("rita")
    asked = visitor.send("tenants_membership_confirm", membership.id)
    answered = visitor.post(asked.response.headers["Location"], {"code": device.code(), "next": _next(asked)})
    assert answered.headers["Location"] == _next(asked)
    assert visitor.send("tenants_membership_confirm", membership.id).status == 302


def _next(page: object) -> str:
    return parse_qs(urlparse(page.response.headers["Location"]).query)["next"][0]  # type: ignore[attr-defined]


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_it_leads_nowhere_else(acme: Firm, elsewhere: str) -> None:
    device, _ = set_up(acme, "rita")
    answered = Visitor("rita").send("second_factor_code", code=device.code(), next=elsewhere)
    assert answered.response.headers["Location"] == "/admin/second-factor/"


def test_a_code_counts_for_some_minutes(acme: Firm, settings: LazySettings) -> None:
    device, _ = set_up(acme, "rita")
    visitor = Visitor("rita")
    visitor.send("second_factor_code", code=device.code())
    session = visitor.session
    session["second_factor_at"] = int(time.time()) - settings.GLASSBOX_SECOND_FACTOR_SECONDS
    session.save()
    asked = visitor.send("tenants_membership_confirm", membership_waiting(acme).id)
    assert "/second-factor/code/" in asked.response.headers["Location"]


def test_the_api_asks_for_a_code_too_and_takes_no_key_for_one(acme: Firm) -> None:
    """A session decides within minutes of a code; a key that was made with one decides on other things, not on this."""
    device, _ = set_up(acme, "rita")
    membership = membership_waiting(acme)
    path, read = f"/api/v1/members/{membership.id}/confirm/", {"revision": 2}
    visitor = Visitor("rita")

    def confirmed(**headers: str) -> tuple[int, str]:
        answer = visitor.post(path, read, content_type="application/json", headers=headers)
        return answer.status_code, answer.json().get("code", "")

    assert confirmed() == (403, "tenants.step_up_needed")
    with as_(replace(user_principal(user("rita"), acme.id), stepped_up=True)):
        _, plain = personal_key_create(
            name="script", role=Role.REVIEWER, scopes=[acme.root], expires_at=timezone.now() + timedelta(days=1)
        )
    assert confirmed(authorization=f"Bearer {plain}") == (403, "tenants.not_in_person")
    visitor.send("second_factor_code", code=device.code())
    assert confirmed() == (200, "")


def test_a_code_is_taken_once(acme: Firm) -> None:
    device, _ = set_up(acme, "rita")
    code = device.code()
    with as_(user_principal(user("rita"), acme.id)):
        factor_use(user("rita"), code=code)
        with raises_code("tenants.wrong_code"):
            factor_use(user("rita"), code=code)


def test_of_two_at_once_with_one_code_one_is_let_through(acme: Firm) -> None:
    device, _ = set_up(acme, "rita")
    code, rita = device.code(), user_principal(user("rita"), acme.id)

    def use(_: int) -> str:
        try:
            with as_(rita):
                factor_use(user("rita"), code=code)
        except SecondFactorError as error:
            return error.code
        finally:
            connections.close_all()
        return "let through"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(use, range(4))) == ["let through", *["tenants.wrong_code"] * 3]


def test_a_recovery_code_works_once_and_is_told_in_the_log(acme: Firm) -> None:
    _, codes = set_up(acme, "rita")
    with as_(user_principal(user("rita"), acme.id)):
        factor_use(user("rita"), code=codes[0].upper())
        with raises_code("tenants.wrong_code"):
            factor_use(user("rita"), code=codes[0])
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.filter(action="tenants.factor.used").count() == 1


def test_wrong_codes_are_counted_and_then_nobody_looks(acme: Firm, settings: LazySettings) -> None:
    settings.GLASSBOX_SIGN_IN_FAILURES = 3
    device, _ = set_up(acme, "rita")
    visitor = Visitor("rita")
    for _ in range(3):
        assert "This code is wrong" in visitor.send("second_factor_code", code="000000").text
    assert "Too many wrong codes" in visitor.send("second_factor_code", code=device.code()).text


def test_codes_that_can_not_be_counted_are_not_looked_at(acme: Firm, settings: LazySettings) -> None:
    """Without Redis: six digits would be guessed."""
    device, _ = set_up(acme, "rita")
    with as_(user_principal(user("rita"), acme.id)):
        settings.CACHES = {**settings.CACHES, "default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere"}}
        with raises_code("tenants.codes_not_counted"):
            factor_use(user("rita"), code=device.code())


def test_setting_it_up_takes_the_password(acme: Firm) -> None:
    page = Visitor("rita").send("second_factor", password="a guess")
    assert page.errors_of("password")
    assert enrolment_of(user("rita")) is None


def test_the_secret_is_sealed_and_bound_to_its_account(acme: Firm) -> None:
    set_up(acme, "rita")
    rita, rob = user("rita"), user("rob")
    with open_identity(Identity(user=UserId(rita.id))):
        sealed = bytes(SecondFactor.objects.get(user_id=rita.id).sealed)
    assert len(unseal(sealed, user_id=UUID(str(rita.id)))) == 20
    with pytest.raises(InvalidTag):
        unseal(sealed, user_id=UUID(str(rob.id)))


@pytest.mark.parametrize("table", ["tenants_secondfactor", "tenants_recoverycode"])
@pytest.mark.parametrize("who", ["amy", "rita"])
def test_no_scope_token_shows_it(acme: Firm, table: str, who: str) -> None:
    set_up(acme, "rita")
    with as_(user_principal(user(who), acme.id)):
        assert sql(f"SELECT count(*) FROM {table}") == [(0,)]
    with open_identity(Identity(user=UserId(user("rita").id))):
        assert sql(f"SELECT count(*) FROM {table}") != [(0,)]


def test_the_database_refuses_a_decision_without_a_code(acme: Firm) -> None:
    """Beside the application, which asks before: with SQL and the person's own token."""
    set_up(acme, "rita")
    membership = membership_waiting(acme)
    rita = user_principal(user("rita"), acme.id)
    statement = "UPDATE tenants_membership SET confirmed_at = now() WHERE id = %s"
    with pytest.raises(DatabaseError, match="right after the second factor"), as_(rita):
        sql(statement, membership.id)
    with as_(replace(rita, stepped_up=True)):
        sql(statement, membership.id)
        assert Membership.objects.get(id=membership.id).is_in_force


def test_every_service_that_decides_asks_for_it(acme: Firm) -> None:
    membership = membership_waiting(acme)
    with as_(user_principal(user("rita"), acme.id)), raises_code("tenants.step_up_needed"):
        membership_confirm(membership)


@pytest.mark.parametrize("stepped_up", [True, False])
def test_a_key_decides_if_it_was_made_with_a_code(acme: Firm, stepped_up: bool) -> None:
    set_up(acme, "rita")
    rita = replace(user_principal(user("rita"), acme.id), stepped_up=stepped_up)
    with as_(rita):
        key, _ = personal_key_create(
            name="script", role=Role.REVIEWER, scopes=[acme.root], expires_at=timezone.now() + timedelta(days=1)
        )
        key = ApiKey.objects.get(id=key.id)
    assert key.with_second_factor is stepped_up
    assert key_principal(key).may_decide is stepped_up


def test_a_key_does_not_say_of_itself_that_it_was(acme: Firm) -> None:
    rita = user_principal(user("rita"), acme.id)
    with as_(rita):
        sql(
            "INSERT INTO tenants_apikey (tenant_id, name, prefix, secret_sha256, role, created_at, expires_at, "
            "person_id, with_second_factor) VALUES (%s, 'k', 'abcdefabcdef', '', 'reviewer', now(), "
            "now() + interval '1 day', %s, true)",
            acme.id,
            rita.id,
        )
        assert not ApiKey.objects.get(name="k").with_second_factor


# --- A lost device --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_others_take_a_lost_one_away(acme: Firm) -> None:
    set_up(acme, "rob")
    set_up(acme, "rita")
    amy, rita = (user_principal(user(name), acme.id) for name in ("amy", "rita"))
    with as_(amy):
        reset = factor_reset_ask(user("rob"), reason="He told me on the phone.")
    with as_(rita), raises_code("tenants.step_up_needed"):
        factor_reset_agree(reset)
    with as_(replace(rita, stepped_up=True)):
        factor_reset_agree(reset)
    assert not has_factor(user("rob"))
    assert mail.outbox[-1].to == ["rob@example.com"]


@pytest.mark.parametrize("decider", ["amy", "rob"])
def test_neither_who_asked_nor_whose_it_is_agrees(acme: Firm, decider: str) -> None:
    make_member(acme, "amy", Role.REVIEWER)
    set_up(acme, "rob")
    with as_(user_principal(user("amy"), acme.id)):
        reset = factor_reset_ask(user("rob"), reason="He told me on the phone.")
    person = replace(user_principal(user(decider), acme.id), stepped_up=True)
    with as_(person), raises_code("tenants.same_hands"):
        factor_reset_agree(reset)
    with pytest.raises(DatabaseError), as_(person):
        sql("UPDATE tenants_factorreset SET agreed_at = now() WHERE id = %s", reset.id)
    assert has_factor(user("rob"))


def test_nobody_takes_one_away_without_them(acme: Firm) -> None:
    set_up(acme, "rob")
    amy, rob = user_principal(user("amy"), acme.id), user("rob")
    with (
        pytest.raises(DatabaseError, match="by its person with a code, or by two others"),
        transaction.atomic(),
        as_(amy),
        open_identity(Identity(user=UserId(rob.id))),
    ):
        sql("DELETE FROM tenants_secondfactor WHERE user_id = %s", rob.id)


@pytest.mark.slow
def test_the_pages_of_a_lost_device(acme: Firm) -> None:
    set_up(acme, "rob")
    device, _ = set_up(acme, "rita")
    with open_scope(tenant=acme.id, reason="a test"):
        membership = Membership.objects.get(user__username="rob")
    amy, rita = Visitor("amy"), Visitor("rita")
    amy.send("tenants_membership_factor", membership.id, reason="He told me on the phone.")
    assert "He told me on the phone." in rita.open("tenants_membership_change", membership.id).text
    rita.send("second_factor_code", code=device.code())
    assert rita.send("tenants_membership_factor_agree", membership.id).status == 302
    assert not has_factor(user("rob"))
