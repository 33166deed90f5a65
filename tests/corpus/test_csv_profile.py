"""The profile of a CSV file: what it counts, whose values it shows, and what it holds against odd files."""

from __future__ import annotations

import hashlib
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.extraction.csv_profile import MAX_COLUMNS, CsvUnusableError, profile_csv
from apps.corpus.extraction.errors import UnknownEncodingError
from apps.corpus.extraction.record_file import body_problems


def profile(text: str | bytes, **more: Any) -> dict[str, Any]:
    content = text if isinstance(text, bytes) else text.encode()
    made = profile_csv(content, filename="a.csv", **more)
    assert body_problems(made) == []
    return made


def table(*columns: tuple[str, list[Any]], delimiter: str = ",") -> str:
    rows = zip(*(values for _, values in columns), strict=True)
    lines = [delimiter.join(name for name, _ in columns), *(delimiter.join(map(str, row)) for row in rows)]
    return "\n".join(lines) + "\n"


DAYS = [f"2024-01-{day:02d}" for day in range(1, 31)]
FUND = table(("day", DAYS), ("nav", [f"{100 + day / 4:.2f}" for day in range(30)]), ("fund name", ["Alpha"] * 30))


def test_columns_are_counted_and_ranges_are_shown() -> None:
    made = profile(FUND)
    assert (made["rows"], made["may_be_about_people"], made["file"]["delimiter"]) == ("30", False, "comma")
    day, nav, fund = made["columns"].values()
    assert (day["type"], day["min"], day["p50"], day["max"]) == ("date", "2024-01-01", "2024-01-15", "2024-01-30")
    assert (nav["type"], nav["values"], nav["distinct"], nav["min"], nav["p05"], nav["max"]) == (
        "number",
        "30",
        "30",
        "100",
        "100.25",
        "107.25",
    )
    assert fund == {"position": "3", "type": "text", "values": "30", "missing": "0", "distinct": "1"}


def test_the_file_is_named_by_its_digest() -> None:
    made = profile("a,b\n1,2\n")
    assert made["file"]["sha256"] == hashlib.sha256(b"a,b\n1,2\n").hexdigest()


@pytest.mark.parametrize(
    "name",
    [
        "Salary",
        "client_no",
        "customerAge",
        "IBAN",
        "Geburtsdatum",
        "phone",
        "account balance",
        "Postcode",
        "Gehalt",
        "Alter",
        "pay",
        "Comp",
        "annualBonus",
        "Vergütung",
        "Vergu\u0308tung",
        "Verguetung",
        "Bezüge",
        "born",
        "patient",
        "Portfolio Manager",
        "Versicherter",
        "Krankheitstage",
    ],
)
def test_a_column_that_is_called_like_something_of_people_shows_nothing(name: str) -> None:
    made = profile(table((name, list(range(30_000, 60_000, 1_000))), ("nav", list(range(30)))))
    assert made["may_be_about_people"] is True
    about, nav = made["columns"].values()
    assert about["range"] == "not shown: the column may be about people"
    # Each row may be somebody's, so the extremes of the other columns may be, too.
    assert {"min", "max"}.isdisjoint(nav)
    assert nav["p50"] == "14"


def test_values_that_look_like_those_of_people_are_noticed_under_any_name() -> None:
    values = [f"person{number}@example.com" for number in range(30)]
    made = profile(table(("x", values), ("y", list(range(30)))))
    assert made["may_be_about_people"] is True
    assert "min" not in made["columns"]["y"]


PEOPLE = ("Anna Meier", "MEIER, Anna", "Anna M. Meier", "Jean-Luc O'Neill", "Şule Öz", "Ana María Ruiz")
THINGS = (
    "Global Growth Fund",
    "Northwind AG",
    "US Treasury Bond",
    "rates desk",
    "EUR",
    "XS0123456789",
    "A1 B2",
    "North",
)


@pytest.mark.parametrize("named", ["subject", "x", "col_7"])
@pytest.mark.parametrize("person", PEOPLE)
def test_names_of_people_are_noticed_under_an_innocent_name(named: str, person: str) -> None:
    values = [f"{person}{chr(97 + number)}" for number in range(24)]
    made = profile(table((named, [f'"{value}"' for value in values]), ("y", list(range(24)))))
    assert made["may_be_about_people"] is True
    assert {"min", "max", "p05", "p95"}.isdisjoint(made["columns"]["y"])


@pytest.mark.parametrize("thing", THINGS)
def test_names_of_funds_and_desks_are_not_taken_for_people(thing: str) -> None:
    made = profile(table(("position", [thing] * 30), ("y", list(range(30)))))
    assert made["may_be_about_people"] is False
    assert made["columns"]["y"]["max"] == "29"


@pytest.mark.parametrize("count", [20, 21, 40, 80, 99, 100, 150, 400])
@pytest.mark.parametrize("people", [True, False])
def test_no_quantile_of_people_lies_among_the_last_few(count: int, people: bool) -> None:
    """Without the rule, the 5 per cent quantile of twenty values is the least of them: the control of who is not."""
    values = list(range(1_000, 1_000 + count))
    made = profile(table(("Gehalt" if people else "desk", ["x"] * count), ("y", values)))["columns"]["y"]
    shown = [int(made[key]) for key in ("p05", "p25", "p50", "p75", "p95") if key in made]
    assert len(shown) >= 3
    if people:
        assert all(sum(value <= each for value in values) >= 5 for each in shown)
        assert all(sum(value >= each for value in values) >= 5 for each in shown)
    elif count == 20:
        assert min(values) in shown


def test_a_first_row_of_somebodys_data_is_no_header() -> None:
    rows = "Anna Meier,Basel\n" + "Bernd Huber,Basel\n" * 20
    with pytest.raises(CsvUnusableError, match="looks like data"):
        profile(rows)
    assert list(profile("name,place\n" + rows)["columns"]) == ["name", "place"]
    assert list(profile("name,place\nname,place\n" + rows)["columns"]) == ["name", "place"]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (list(range(19)), "fewer than 20 values"),
        ([1, 2, 3] * 10, "fewer than 10 distinct values"),
        (list(range(4_000_000, 4_000_030)), "the column numbers things"),
    ],
)
def test_few_values_and_numbers_of_things_are_not_shown(values: list[int], why: str) -> None:
    assert profile(table(("x", values), ("y", values)))["columns"]["x"]["range"] == f"not shown: {why}"


@given(st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12), min_size=3, max_size=30))
def test_no_text_of_a_cell_is_ever_shown(cells: list[str]) -> None:
    marked = [f"Zq{cell.replace(chr(34), '')}Qz" for cell in cells]
    text = "a,b\n" + "".join(f'"{cell}",1\n' for cell in marked)
    told = repr(profile(text))
    assert "Zq" not in told
    assert "Qz" not in told


def test_ragged_broken_and_formula_rows_are_counted() -> None:
    made = profile("a,b\n1,2\n3\n4,5,6\n=cmd(),+x\n@y,-1\n7,8\n")
    assert (made["rows"], made["rows_left_out"]["of_another_width"], made["formula_cells"]) == ("4", "2", "3")
    assert "cmd" not in repr(made)


def test_a_quote_that_never_closes_is_bounded() -> None:
    made = profile("a,b\n1,2\n" + '"x,' + "y\n" * 200_000 + "3,4\n")
    assert int(made["rows_left_out"]["not_readable"]) >= 1


@pytest.mark.parametrize(
    ("content", "encoding", "delimiter"),
    [
        ("größe;b\n1,5;2\n3,5;4\n".encode(), "utf-8", "semicolon"),
        ("größe;b\n1,5;2\n".encode("cp1252"), "cp1252", "semicolon"),
        ("größe\tb\n1\t2\n".encode("utf-16"), "utf-16", "tab"),
        (b"\xef\xbb\xbfa|b\n1|2\n", "utf-8-sig", "bar"),
    ],
)
def test_dialects_and_encodings(content: bytes, encoding: str, delimiter: str) -> None:
    made = profile(content)
    assert (made["file"]["encoding"], made["file"]["delimiter"]) == (encoding, delimiter)
    assert [column["type"] for column in made["columns"].values()] == ["number", "number"]
    assert "\ufeff" not in "".join(made["columns"])


def test_numbers_as_they_are_written_in_english_and_german() -> None:
    english = [f'"{number:,}.50"' for number in range(1_000, 31_000, 1_000)]
    assert profile(table(("x", english), ("y", english)))["columns"]["x"]["max"] == "30000.5"
    german = [f"{number}.000,50" for number in range(1, 31)]
    assert profile(table(("x", german), ("y", german), delimiter=";"))["columns"]["x"]["max"] == "30000.5"


def test_missing_values_are_no_values() -> None:
    column = profile("a,b\n,1\nN/A,1\n-,1\n5,1\n")["columns"]["a"]
    assert (column["values"], column["missing"], column["type"]) == ("1", "3", "number")


def test_names_that_stand_twice_stay_apart() -> None:
    assert list(profile("a,a,,a (2)\n1,2,3,4\n")["columns"]) == ["a", "a (2)", "column 3", "a (2) [4]"]


def test_a_first_row_of_data_is_not_taken_for_names() -> None:
    with pytest.raises(CsvUnusableError, match="looks like data"):
        profile("Anna,anna@example.com\nBo,bo@example.com\n")
    made = profile("Anna,anna@example.com\nBo,bo@example.com\n", header=False)
    assert (list(made["columns"]), made["rows"]) == (["column 1", "column 2"], "2")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", CsvUnusableError),
        (b"\x00\x01\x02\x03" * 20, CsvUnusableError),
        (b"a,b\n", CsvUnusableError),
        (",".join(f"c{number}" for number in range(MAX_COLUMNS + 1)).encode() + b"\n", CsvUnusableError),
        ("имя;б\nпривет;слова\n".encode("cp1251"), UnknownEncodingError),  # noqa: RUF001
        (b"a,b\n" + b"1,2\n" * 400_000 + "ü,2\n".encode("cp1252"), UnknownEncodingError),
    ],
)
def test_what_is_no_table_is_refused(content: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        profile(content)


def test_memory_does_not_grow_with_the_rows() -> None:
    def peak(rows: int) -> int:
        content = b"a,b,c\n" + b"".join(f"{row},{row * 7919 % 100_003},x{row}\n".encode() for row in range(rows))
        tracemalloc.start()
        made = profile(content)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert made["rows"] == str(rows)
        assert made["columns"]["b"]["distinct"] == "more than 2,000"
        return most - len(content)

    # From here on nothing more is kept; the file itself stands apart.
    assert peak(60_000) < 1.2 * peak(20_000) + 1_000_000


def test_quantiles_of_many_values_are_estimated_and_say_so() -> None:
    column = profile("a,b\n" + "".join(f"{row * 7919 % 100_003 / 10},1\n" for row in range(100_003)))["columns"]["a"]
    assert column["quantiles"].startswith("estimated from")
    assert abs(float(column["p50"]) - 5_000) < 150
    assert (column["min"], column["max"]) == ("0", "10000.2")
