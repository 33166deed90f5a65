"""The SDK's own client uses the MCP server, over real HTTP and over stdio."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx
import httpx2
import mcp_types as types
import pytest
from django.conf import LazySettings, settings
from django.core.management import call_command
from django.core.management.base import CommandError
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pytest_django.live_server_helper import LiveServer

from apps.research.doors.mcp.asking import Answered, HttpApi, OwnApi
from apps.tenants.api.throttling import PrincipalThrottle
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_revoke
from tests.api.test_api_access import key_of_a_suspended_tenant
from tests.audit.acting import checkpointed, sealed
from tests.factories import Firm, make_firm, make_key, make_member
from tests.retrieval.asking import QUESTION, events
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

ResultT = TypeVar("ResultT")
Use = Callable[[Client], Awaitable[ResultT]]
MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def over_http(live_server: LiveServer, key: str, use: Use[ResultT], **more: Any) -> ResultT:
    async def run() -> ResultT:
        headers = {"Authorization": f"Bearer {key}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
            Client(streamable_http_client(f"{live_server.url}/mcp", http_client=http), **more) as client,
        ):
            return await use(client)

    return anyio.run(run)


def over_stdio(key: str, use: Use[ResultT], *arguments: str) -> ResultT:
    manage = Path(settings.BASE_DIR) / "manage.py"
    command = StdioServerParameters(
        command=sys.executable,
        args=[str(manage), "mcp", *arguments],
        env={**os.environ, "GLASSBOX_KEY": key, "DJANGO_SETTINGS_MODULE": "config.settings.test", "NO_PROXY": "*"},
    )

    async def run() -> ResultT:
        async with Client(stdio_client(command)) as client:
            return await use(client)

    return anyio.run(run)


def call(name: str, **arguments: Any) -> Use[types.CallToolResult]:
    async def use(client: Client) -> types.CallToolResult:
        return await client.call_tool(name, arguments)

    return use


def words(result: types.CallToolResult) -> str:
    assert result.is_error
    assert result.structured_content is None
    [content] = result.content
    return str(content.text)  # type: ignore[union-attr]


@pytest.fixture
def key(firm: Firm) -> str:
    return make_key(firm, Role.COMPLIANCE_OFFICER)[1]


class TestTools:
    def test_there_are_four_which_read_and_none_takes_a_tenant(self, live_server: LiveServer, key: str) -> None:
        async def use(client: Client) -> types.ListToolsResult:
            return await client.list_tools()

        tools = over_http(live_server, key, use).tools
        assert [tool.name for tool in tools] == ["ask", "search", "facts", "verify"]
        for tool in tools:
            assert tool.annotations is not None
            assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
            assert tool.input_schema["additionalProperties"] is False
            assert not any("tenant" in name for name in tool.input_schema["properties"])

    @pytest.mark.parametrize("mode", ["legacy", "auto"])
    def test_ask_answers_with_links_to_pages_that_can_be_read(
        self, live_server: LiveServer, key: str, firm: Firm, mode: str
    ) -> None:
        async def use(client: Client) -> tuple[types.CallToolResult, types.ReadResourceResult]:
            result = await client.call_tool("ask", {"question": QUESTION, "scopes": ["fund:alpha"]})
            [link] = [each for each in result.content if each.type == "resource_link"]
            return result, await client.read_resource(link.uri)

        result, page = over_http(live_server, key, use, mode=mode)
        answer = result.structured_content
        assert "12.5 %" in answer["answer"]
        assert json.loads(result.content[0].text) == answer  # type: ignore[union-attr]
        assert answer["citations"][0]["quote"] in json.loads(page.contents[0].text)["text"]  # type: ignore[union-attr]
        assert [str(event.id) for event in events(firm)] == [answer["audit_event_id"]]

    def test_a_follow_up_is_read_with_the_questions_before_it(self, live_server: LiveServer, key: str) -> None:
        before = QUESTION.replace("Alpha", "Beta")
        asked = call("ask", question="And of the Alpha Fund?", earlier_questions=[before])
        told = over_http(live_server, key, asked).structured_content
        assert told is not None
        assert told["asked_as"] == QUESTION
        assert "12.5 %" in told["answer"]
        too_many = call("ask", question="And of the Alpha Fund?", earlier_questions=[before] * 21)
        assert "earlier_questions" in words(over_http(live_server, key, too_many))

    def test_search_finds_passages(self, live_server: LiveServer, key: str) -> None:
        found = over_http(live_server, key, call("search", question=QUESTION)).structured_content
        assert any("12.5 %" in passage["text"] for passage in found["passages"])

    def test_facts_come_in_pages(self, live_server: LiveServer, key: str) -> None:
        found = over_http(live_server, key, call("facts", limit=1)).structured_content
        assert found.keys() == {"facts", "next_cursor"}

    def test_an_event_and_the_log_are_proved(self, live_server: LiveServer, firm: Firm) -> None:
        key = make_key(firm, Role.AUDITOR)[1]
        asker = make_key(firm, Role.ANALYST)[1]
        event = over_http(live_server, asker, call("ask", question=QUESTION)).structured_content["audit_event_id"]
        sealed(firm)
        checkpointed(firm)
        proof = over_http(live_server, key, call("verify", event_id=event)).structured_content
        assert (proof["subject"], proof["proof"]["event_id"]) == ("event", event)
        head = over_http(live_server, key, call("verify")).structured_content
        assert (head["subject"], head["proof"]["size"] > proof["proof"]["index"]) == ("log", True)


class TestRefusals:
    @pytest.mark.parametrize(
        ("name", "arguments", "said"),
        [
            ("ask", {"question": QUESTION, "tenant": "bolt"}, "tenant"),
            ("ask", {}, "question"),
            ("ask", {"question": " "}, "retrieval.question_empty"),
            ("ask", {"question": QUESTION, "scopes": ["fund:none"]}, "scopes"),
            ("search", {"question": QUESTION, "trace": True}, "trace"),
            ("facts", {"tenant_id": "x"}, "tenant_id"),
            ("facts", {"cursor": "zzz"}, "cursor"),
            ("verify", {"event_id": "00000000-0000-7000-8000-000000000000"}, "audit.event_not_found"),
            ("verify", {"event_id": "../../keys"}, "api.invalid: event_id"),
            ("verify", {"event_id": "../../documents/#"}, "api.invalid: event_id"),
            ("verify", {"event_id": "00000000-0000-7000-8000-00000000000?"}, "api.invalid: event_id"),
            ("verify", {"size": 1}, "event_id"),
        ],
    )
    def test_a_refusal_is_an_error_of_the_tool_with_code_and_words(
        self, live_server: LiveServer, key: str, name: str, arguments: dict[str, Any], said: str
    ) -> None:
        told = words(over_http(live_server, key, call(name, **arguments)))
        code, _, detail = told.partition(": ")
        assert "." in code
        assert detail
        assert said in told

    def test_a_role_is_held_to_its_permissions(self, live_server: LiveServer, firm: Firm) -> None:
        _, analyst = make_key(firm, Role.ANALYST)
        assert words(over_http(live_server, analyst, call("verify"))).startswith("tenants.permission_denied")

    def test_a_scope_that_is_not_held_is_not_searched(self, live_server: LiveServer, firm: Firm) -> None:
        narrow = make_key(firm, Role.ANALYST, scopes=["fund:beta"])[1]
        found = over_http(live_server, narrow, call("search", question=QUESTION)).structured_content
        assert found["passages"]
        assert not any("12.5 %" in passage["text"] for passage in found["passages"])

    @pytest.mark.parametrize("path", ["/api/v1/keys/", "/api/v1/documents/../keys/", "/admin/", ""])
    def test_nothing_but_pages_can_be_read_as_a_resource(self, live_server: LiveServer, key: str, path: str) -> None:
        async def use(client: Client) -> None:
            await client.read_resource(f"{settings.GLASSBOX_URL}{path}")

        with pytest.raises((MCPError, ExceptionGroup)):
            over_http(live_server, key, use)

    def test_another_firms_page_is_like_one_that_does_not_exist(
        self, live_server: LiveServer, key: str, firm: Firm
    ) -> None:
        _, foreign = make_key(make_firm("bolt"), Role.COMPLIANCE_OFFICER)
        answer = over_http(live_server, key, call("ask", question=QUESTION)).structured_content
        url = f"{settings.GLASSBOX_URL}{answer['citations'][0]['url']}"
        none = f"{settings.GLASSBOX_URL}/api/v1/documents/00000000-0000-7000-8000-000000000000/pages/1/"
        told = [post(live_server, foreign, read(each)).json()["error"]["message"] for each in (url, none)]
        assert told[0].split(": ")[0] == told[1].split(": ")[0] == "corpus.document_not_found"


def post(live_server: LiveServer, key: str, message: Any, **headers: str) -> httpx.Response:
    content = message if isinstance(message, str) else json.dumps(message)
    authorization = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.post(
        f"{live_server.url}/mcp",
        content=content,
        headers={**HEADERS, **authorization, **headers},
        trust_env=False,
        timeout=60,
    )


def read(uri: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}}


class TestDoor:
    @pytest.mark.parametrize("key", ["", "gbx_aaaaaaaaaaaa_none"])
    def test_it_opens_for_a_key_alone(self, live_server: LiveServer, firm: Firm, key: str) -> None:
        response = post(live_server, key, MESSAGE)
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")

    def test_a_revoked_key_opens_nothing(self, live_server: LiveServer, firm: Firm) -> None:
        _, plain = make_key(firm, Role.ANALYST)
        assert post(live_server, plain, MESSAGE).status_code == 200
        revoke(firm)
        assert post(live_server, plain, MESSAGE).status_code == 401

    def test_a_cookie_does_not(self, live_server: LiveServer, firm: Firm) -> None:
        make_member(firm, "cookie", Role.TENANT_ADMIN)
        visitor = Visitor("cookie")
        response = visitor.post("/mcp", MESSAGE, content_type="application/json", headers={"accept": "*/*"})
        assert response.status_code == 401

    @pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
    def test_no_stream_is_offered(self, live_server: LiveServer, key: str, method: str) -> None:
        headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
        response = httpx.request(method, f"{live_server.url}/mcp", headers=headers, trust_env=False)
        assert response.status_code == 405

    @pytest.mark.parametrize(
        ("origin", "status"),
        [("https://evil.example", 403), ("null", 403), ("https://tools.example", 200), ("{own}", 200)],
    )
    def test_pages_of_other_sites_are_refused(
        self, live_server: LiveServer, key: str, settings: LazySettings, origin: str, status: int
    ) -> None:
        settings.GLASSBOX_CORS_ORIGINS = ["https://tools.example"]
        assert post(live_server, key, MESSAGE, Origin=origin.format(own=live_server.url)).status_code == status

    def test_a_host_that_is_not_ours_is_refused(
        self, live_server: LiveServer, key: str, settings: LazySettings
    ) -> None:
        settings.ALLOWED_HOSTS = ["localhost"]
        assert post(live_server, key, MESSAGE, Host="evil.example").status_code == 400

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ('{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "method": "tools/call"}', 400),
            ("[" * 100_000, 400),
            ('{"jsonrpc": "2.0", "id": NaN, "method": "tools/list"}', 400),
            ("x" * (2 * 1024 * 1024), 413),
            (json.dumps([MESSAGE, MESSAGE]), 400),
            ("{", 400),
        ],
    )
    def test_a_body_says_one_thing(self, live_server: LiveServer, key: str, body: str, status: int) -> None:
        assert post(live_server, key, body).status_code == status

    def test_a_message_counts_once(self, live_server: LiveServer, firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(PrincipalThrottle, "rate", "3/min", raising=False)
        _, plain = make_key(firm, Role.ANALYST)
        facts = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "facts", "arguments": {}}}
        unknown = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "none"}}
        answers = [post(live_server, plain, each) for each in (MESSAGE, facts, unknown, MESSAGE)]
        assert [each.status_code for each in answers] == [200, 200, 200, 429]
        last = post(live_server, plain, facts).json()["result"]
        assert (last["isError"], last["content"][0]["text"].startswith("api.throttled: ")) == (True, True)

    @pytest.mark.parametrize(
        "path",
        [f"/api/v1/documents/{'-' * 36}/pages/1/", f"/api/v1/documents/{'0' * 36}/pages/1/"],
    )
    def test_a_page_at_no_address_counts(
        self, live_server: LiveServer, firm: Firm, monkeypatch: pytest.MonkeyPatch, path: str
    ) -> None:
        monkeypatch.setattr(PrincipalThrottle, "rate", "2/min", raising=False)
        _, plain = make_key(firm, Role.ANALYST)
        message = read(f"{settings.GLASSBOX_URL}{path}")
        assert [post(live_server, plain, message).status_code for _ in range(3)] == [200, 200, 429]


class TestAsking:
    @pytest.mark.parametrize(
        "path", ["/api/v1/audit/../keys/", "/api/v1/keys/?a=b", "/api/v1/keys/#", "/api/v1/%6beys/", "/a b"]
    )
    def test_only_a_plain_path_is_asked(self, live_server: LiveServer, key: str, path: str) -> None:
        for api in (HttpApi(live_server.url, key), OwnApi.with_key(live_server.url, key)):
            assert api.get(path) == Answered(400, {"code": "api.invalid", "detail": "This is no address of the API."})

    @pytest.mark.parametrize(("path", "count"), [("/api/v1/facts/", 1), ("/api/v1/none/", 0), ("/none/", 0)])
    def test_what_no_rate_limit_counts_is_not_counted(
        self, live_server: LiveServer, key: str, path: str, count: int
    ) -> None:
        api = OwnApi.with_key(live_server.url, key)
        api.get(path)
        assert api.count == count


class TestStdio:
    @pytest.mark.parametrize(
        "url",
        [
            "http://glassbox.example.com",
            "https://alice:pass@glassbox.example.com",
            "file:///etc",
            "glassbox",
            "http://[",
            "https://a:b",
        ],
    )
    def test_the_key_is_sent_to_no_other_address(self, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
        monkeypatch.setenv("GLASSBOX_KEY", "gbx_aaaaaaaaaaaa_none")
        with pytest.raises(CommandError):
            call_command("mcp", "--url", url)

    def test_it_asks_an_installation(self, live_server: LiveServer, key: str, firm: Firm) -> None:
        result = over_stdio(key, call("ask", question=QUESTION), "--url", live_server.url)
        assert "12.5 %" in result.structured_content["answer"]
        assert result.content[1].uri.startswith(live_server.url)  # type: ignore[union-attr]
        assert len(events(firm)) == 1

    def test_it_answers_itself(self, key: str, firm: Firm) -> None:
        found = over_stdio(key, call("facts", limit=1)).structured_content
        assert found.keys() == {"facts", "next_cursor"}

    def test_a_key_that_is_none_is_told_by_each_tool(self, live_server: LiveServer, firm: Firm) -> None:
        result = over_stdio("gbx_aaaaaaaaaaaa_none", call("facts"), "--url", live_server.url)
        assert words(result).startswith("tenants.invalid_api_key: ")

    def test_an_installation_that_is_away_is_told(self, key: str) -> None:
        result = over_stdio(key, call("facts"), "--url", "http://127.0.0.1:9")
        assert words(result).startswith("api.unavailable: ")


def revoke(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        api_key_revoke(ApiKey.objects.latest("created_at"))


class TestDepth:
    @pytest.mark.parametrize("depth", [100, 400, 700, 850, 950, 2_000])
    @pytest.mark.parametrize("place", ["arguments", "question", "params", "id"])
    def test_no_depth_breaks_it(self, live_server: LiveServer, key: str, place: str, depth: int) -> None:
        deep = '{"a":' * depth + "1" + "}" * depth
        arguments = {"arguments": f'{{"question": "What?", "scopes": [{deep}]}}', "question": f'{{"question": {deep}}}'}
        params = f'{{"name": "ask", "arguments": {arguments.get(place, "{}")}}}'
        params = f'{{"name": "ask", "_meta": {deep}}}' if place == "params" else params
        body = f'{{"jsonrpc": "2.0", "id": {deep if place == "id" else 1}, "method": "tools/call", "params": {params}}}'
        response = post(live_server, key, body)
        # 202: what has no id that can be one is a notification, and is dropped.
        assert response.status_code in (200, 202, 400)
        assert "Traceback" not in response.text


def test_a_suspended_tenant_s_key_opens_nothing(live_server: LiveServer, firm: Firm) -> None:
    assert post(live_server, key_of_a_suspended_tenant(firm), MESSAGE).status_code == 401
