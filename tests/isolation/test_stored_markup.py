"""What somebody stored is shown as text: markup in every column, and whoever has it reads each page of the admin."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch
from urllib.parse import urljoin, urlsplit

import psycopg
import pytest
from django.db import connections
from lxml import html

from apps.audit import selectors
from apps.audit.sealing import open_sealed
from tests.conftest import admin_dsn
from tests.isolation.world import World
from tests.rows import OF_THE_SCHEMA
from tests.visitor import Visitor

_MARK = "gbx-canary"
MARKUP = f"""\"'><{_MARK} onxss="1" x-data="{{}}">${{7*7}} javascript:"""
# Codes and keys that pages look things up by; what a person writes has other names.
_CODES = re.compile(
    r"sha256|state|status|role|kind|origin$|action|slug|username|password|session|outcome$|code$|_type$|language|zone"
    r"|prefix|mode|filename_|how$|store|part$|decision|treatment|subject$|profile|region|media|reach|proof|because"
    r"|delivery|purpose|sealed|terms_version|requester|^type$|^key$|dataset|clock_start|level|extension|refusal|quoting"
)


_ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "hx-post", "data-url")


def _poisoned(value: Any) -> Any:
    """A value of JSON in which every text of words has markup before it."""
    match value:
        case dict():
            return {key: _poisoned(each) for key, each in value.items()}
        case list():
            return [_poisoned(each) for each in value]
        case str() if " " in value:
            return MARKUP + value
        case _:
            return value


def poison() -> list[str]:
    """Put markup before what stands in each column of words. Returns: the columns that took it."""
    done = []
    name = connections["default"].settings_dict["NAME"]
    with psycopg.connect(admin_dsn(), dbname=name, autocommit=True) as connection:
        # No trigger asks who writes, and no policy: the text is what matters.
        connection.execute("SET session_replication_role = replica")
        for table, column, type, longest in connection.execute(
            "SELECT table_name, column_name, udt_name, coalesce(character_maximum_length, 10000) "
            "FROM information_schema.columns JOIN pg_class k ON k.relname = table_name AND k.relkind = 'r' "
            "WHERE table_schema = 'public' AND udt_name IN ('text', 'varchar', 'jsonb') AND is_generated = 'NEVER' "
            "AND k.relnamespace = 'public'::regnamespace AND table_name NOT LIKE 'django%%' "
            # Nothing puts these back after the test.
            "AND NOT table_name = ANY (%s) ORDER BY 1, 2",
            [list(OF_THE_SCHEMA)],
        ).fetchall():
            if _CODES.search(column) or longest < len(MARKUP):
                continue
            try:
                if type == "jsonb":
                    rows = connection.execute(f'SELECT ctid::text, "{column}" FROM "{table}"').fetchall()
                    count = 0
                    for ctid, value in rows:
                        if (changed := _poisoned(value)) != value:
                            connection.execute(
                                f'UPDATE "{table}" SET "{column}" = %s WHERE ctid = %s::tid',
                                [json.dumps(changed), ctid],
                            )
                            count += 1
                else:
                    count = connection.execute(
                        f'UPDATE "{table}" SET "{column}" = left(%s || "{column}", %s) WHERE "{column}" <> %s',
                        [MARKUP, longest, ""],
                    ).rowcount
            except psycopg.Error:
                # A constraint lets no such text in.
                continue
            if count:
                done.append(f"{table}.{column}")
    return done


def broken_out(text: str) -> list[str]:
    """Where the markup stands as markup."""
    if not text.strip():
        return []
    document = html.document_fromstring(text)
    found = [f"element {each.getparent().tag}" for each in document.iter(_MARK)]
    for element in document.iter():
        for attribute, value in element.attrib.items():
            if attribute == "onxss":
                found.append(f"attribute of {element.tag}")
            if _MARK in value and re.match(r"x-|:|@|on|hx-|style$", attribute):
                found.append(f"{element.tag} {attribute}={value[:80]}")
            if attribute in _ADDRESSES and re.match(r"\s*(javascript|data|vbscript):", value):
                found.append(f"{element.tag} {attribute}={value[:80]}")
        if element.tag in ("script", "style") and _MARK in (element.text or ""):
            found.append(f"in {element.tag}: {(element.text or '')[:80]}")
    return found


def pages(visitor: Visitor) -> Iterator[tuple[str, int, str]]:
    """Each page that a person finds by its links, of each kind a few."""
    todo, seen, kinds = deque(["/admin/"]), {"/admin/"}, set()
    while todo:
        url = todo.popleft()
        path, _, query = url.partition("?")
        # Of a list as it is sorted and filtered in a hundred ways, each filter once.
        kind = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+", "#", path), re.sub(r"=[^&]*", "", query)
        if kind in kinds or kind[1] == "o":
            continue
        kinds.add(kind)
        response = visitor.get(url)
        if not response.headers.get("Content-Type", "").startswith("text/html") or response.streaming:
            continue
        text = response.content.decode()
        yield url, response.status_code, text
        if response.status_code != 200 or not text.strip():
            continue
        for link in html.document_fromstring(text).xpath("//a/@href | //*/@hx-get | //*/@data-url"):
            target = urlsplit(urljoin(url, link))
            found = target.path + (f"?{target.query}" if target.query else "")
            if target.netloc or not target.path.startswith("/admin/") or "logout" in target.path or found in seen:
                continue
            seen.add(found)
            todo.append(found)


@pytest.fixture(scope="module")
def poisoned_world(world: World) -> list[str]:
    return poison()


@pytest.mark.slow
@pytest.mark.parametrize("who", ["amy", "ada", "dan", "ann", "dpo-acme"])
def test_markup_is_text_on_every_page(world: World, poisoned_world: list[str], who: str) -> None:
    assert len(poisoned_world) > 20, poisoned_world
    visitor = Visitor(who)
    visitor.raise_request_exception = False
    shown, through = 0, []
    with patch.object(selectors, "open_sealed", lambda *given, **place: _poisoned(open_sealed(*given, **place))):
        for url, status, text in pages(visitor):
            shown += _MARK in text
            through += [(url, each) for each in broken_out(text)]
            if status >= 500:
                through.append((url, "failed"))
    assert shown > 20, f"a broken test: markup stood on {shown} pages"
    assert not through


def test_the_look_finds_what_breaks_out() -> None:
    assert broken_out(f"<p>{MARKUP}</p>") == ["element p", "attribute of gbx-canary"]
    assert broken_out(f'<p title="{MARKUP}">')
    assert broken_out('<a href=" javascript:alert(1)">x</a>')
    assert broken_out(f"<script>let a = '{_MARK}'</script>")
    assert broken_out(f"<p x-text=\"'{_MARK}'\">")
    assert not broken_out("<p>&lt;gbx-canary onxss&gt;</p>")
