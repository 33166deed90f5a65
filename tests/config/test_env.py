"""Environment variables arrive typed, or the error names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from config import env
from config.env import EnvironmentVariableError, Reader, collecting


def test_text() -> None:
    assert Reader({"NAME": " glassbox "}).text("NAME") == "glassbox"


@pytest.mark.parametrize(("raw", "value"), [("1", True), ("Yes", True), ("on", True), ("0", False), ("FALSE", False)])
def test_boolean(raw: str, value: bool) -> None:
    assert Reader({"DEBUG": raw}).boolean("DEBUG") is value


def test_integer() -> None:
    assert Reader({"PORT": "8000"}).integer("PORT") == 8000


def test_number() -> None:
    assert Reader({"SHARE": "0.25"}).number("SHARE") == 0.25


def test_url() -> None:
    address = "postgresql://alice:pass@db/glassbox"
    assert Reader({"DATABASE_URL": address}).url("DATABASE_URL", schemes=("postgresql",)) == address


def test_items() -> None:
    assert Reader({"HOSTS": "a.example, b.example,,"}).items("HOSTS") == ("a.example", "b.example")


def test_path_expands_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/alice")
    assert Reader({"PLACE": "~/state"}).path("PLACE") == Path("/home/alice/state")


def test_a_default_serves_for_an_unset_variable() -> None:
    assert Reader({}).integer("PORT", default=8000) == 8000


def test_a_variable_set_to_nothing_is_unset() -> None:
    assert Reader({"PORT": "  "}).integer("PORT", default=8000) == 8000


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(EnvironmentVariableError, match="DATABASE_URL is not set"):
        Reader({}).text("DATABASE_URL")


@pytest.mark.parametrize(
    ("reader", "raw"),
    [("boolean", "maybe"), ("integer", "8000.5"), ("integer", "1_000"), ("number", "nan"), ("number", "much")],
)
def test_a_malformed_variable_is_named_even_with_a_default(reader: str, raw: str) -> None:
    with pytest.raises(EnvironmentVariableError, match="SETTING"):
        getattr(Reader({"SETTING": raw}), reader)("SETTING", default=0)


@pytest.mark.parametrize("raw", ["0", "70000"])
def test_a_bound_is_held(raw: str) -> None:
    with pytest.raises(EnvironmentVariableError, match="PORT must be at"):
        Reader({"PORT": raw}).integer("PORT", minimum=1, maximum=65535)


def test_a_refused_url_is_not_repeated() -> None:
    with pytest.raises(EnvironmentVariableError) as caught:
        Reader({"DATABASE_URL": "mysql://alice:hunter2@db"}).url("DATABASE_URL", schemes=("postgresql",))
    assert "hunter2" not in str(caught.value)


def test_a_short_secret_is_refused_and_not_repeated() -> None:
    with pytest.raises(EnvironmentVariableError, match="too short") as caught:
        Reader({"KEY": "hunter2"}).secret("KEY")
    assert "hunter2" not in str(caught.value)


def test_a_secret_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("a-long-enough-secret\n")
    assert Reader({"KEY_FILE": str(tmp_path / "key")}).secret("KEY") == "a-long-enough-secret"


def test_a_missing_secret_file_names_its_variable(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentVariableError, match=r"KEY_FILE .* can't be read"):
        Reader({"KEY_FILE": str(tmp_path / "none")}).secret("KEY")


def test_all_problems_come_at_once() -> None:
    def read() -> None:
        with collecting({"PORT": "x"}) as reader:
            reader.text("DATABASE_URL")
            reader.secret("KEY")
            reader.integer("PORT")

    with pytest.raises(EnvironmentVariableError) as caught:
        read()
    assert str(caught.value).splitlines() == [
        "DATABASE_URL is not set.",
        "KEY is not set.",
        "PORT is not a whole number.",
    ]


def test_nothing_wrong_raises_nothing() -> None:
    with collecting({"PORT": "1"}) as reader:
        port = reader.integer("PORT")
    assert port == 1


def test_home_is_beside_manage_py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLASSBOX_HOME", raising=False)
    assert env.home() == env.CHECKOUT / ".glassbox"


def test_home_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLASSBOX_HOME", str(tmp_path / "state"))
    assert env.home() == (tmp_path / "state").resolve()


@pytest.mark.parametrize(
    ("address", "broker"),
    [
        ("unix:///run/redis.sock?db=3", "redis+socket:///run/redis.sock?virtual_host=3"),
        ("rediss://user:password@host/0", "rediss://user:password@host/0"),
    ],
)
def test_a_redis_at_a_socket_is_celerys_broker_too(address: str, broker: str) -> None:
    assert env.broker_url(address) == broker
