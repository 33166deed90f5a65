"""Markdown and plain text: structure, encodings, logical pages."""

from __future__ import annotations

import pytest

from apps.corpus.extraction import Block, BlockKind, WarningCode, extract
from apps.corpus.extraction.errors import UnknownEncodingError

MARKDOWN = """---
author: Alice
---
# Alpha Fund

Some *plain* text with a [link](https://example.org) and `code`.

| Metric | Q4 2023 | Q4 2024 |
|:-------|--------:|--------:|
| Maximum drawdown | -3.1% | -4.2% |

- one limit
- another
  that goes on

```
if drawdown > limit:
```

Setext heading
--------------
The end.
"""


def blocks(text: str, filename: str = "a.md") -> tuple[Block, ...]:
    return extract(text.encode(), filename=filename).pages[0].blocks


def test_markdown_is_cut_into_its_blocks() -> None:
    assert [(block.kind, block.text) for block in blocks(MARKDOWN)] == [
        (BlockKind.HEADING, "Alpha Fund"),
        (BlockKind.PARAGRAPH, "Some plain text with a link and code."),
        (BlockKind.TABLE_HEADER, "Metric | Q4 2023 | Q4 2024"),
        (BlockKind.TABLE_ROW, "Maximum drawdown | Q4 2023: -3.1% | Q4 2024: -4.2%"),
        (BlockKind.LIST_ITEM, "- one limit"),
        (BlockKind.LIST_ITEM, "- another that goes on"),
        (BlockKind.CODE, "if drawdown > limit:"),
        (BlockKind.HEADING, "Setext heading"),
        (BlockKind.PARAGRAPH, "The end."),
    ]


def test_markdown_title_is_the_first_heading() -> None:
    assert extract(MARKDOWN.encode(), filename="a.md").title == "Alpha Fund"


def test_text_is_cut_at_blank_lines() -> None:
    text = (
        "FUND REPORT\n\nThis line was wrapped by an editor at some width that is common\nand goes on here.\n\nNext one."
    )
    assert [block.text for block in blocks(text, "a.txt")] == [
        "FUND REPORT",
        "This line was wrapped by an editor at some width that is common and goes on here.",
        "Next one.",
    ]


def test_spaced_table_in_text_keeps_its_columns() -> None:
    text = "Metric         2023      2022\nDrawdown     (3.1%)    (4.0%)\n"
    assert blocks(text, "a.txt")[-1].text == "Drawdown | 2023: (3.1%) | 2022: (4.0%)"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_encodings_are_told_apart(encoding: str) -> None:
    document = extract("Größe der Verlustschwelle für Fonds".encode(encoding), filename="a.txt")
    assert document.pages[0].text == "Größe der Verlustschwelle für Fonds"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_its_mark_is_read(encoding: str) -> None:
    assert (
        extract("Maximum drawdown of the fund".encode(encoding), filename="a.txt").pages[0].text.startswith("Maximum")
    )


def test_typographic_signs_of_windows_are_read() -> None:
    assert (
        extract("the fund\u2019s \u20ac5".encode("cp1252"), filename="a.txt").pages[0].text == "the fund\u2019s \u20ac5"
    )


def test_guessed_encoding_is_a_warning() -> None:
    document = extract("Größe".encode("latin-1"), filename="a.txt")
    assert [warning.code for warning in document.warnings] == [WarningCode.DECODED_WITH_FALLBACK]


def test_german_is_recognised() -> None:
    text = "Der Fonds hat die Grenze nicht erreicht, und das ist für die Anleger von Vorteil."
    assert extract(text.encode(), filename="a.txt").language == "de"


def test_english_is_recognised() -> None:
    text = "The fund has not reached the limit, and this is of use to the investors."
    assert extract(text.encode(), filename="a.txt").language == "en"


def test_long_text_is_cut_into_pages_of_about_three_thousand_characters() -> None:
    text = "\n\n".join(f"Paragraph {n} of a long report about the limits of the fund." for n in range(300))
    pages = extract(text.encode(), filename="a.txt").pages
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    assert all(len(page.text) < 3_200 for page in pages)


def test_heading_goes_with_the_text_below_it() -> None:
    text = "\n\n".join(f"# Heading {n}\n\n{'word ' * 110}" for n in range(40))
    pages = extract(text.encode(), filename="a.md").pages
    assert all(page.blocks[-1].kind is not BlockKind.HEADING for page in pages)


def test_table_repeats_its_header_on_the_next_page() -> None:
    rows = "\n".join(f"| row {n} | {n} |" for n in range(400))
    pages = extract(f"| Name | 2024 |\n|---|---|\n{rows}".encode(), filename="a.md").pages
    assert all(page.blocks[0].text == "Name | 2024" for page in pages)


def test_one_endless_line_is_cut() -> None:
    pages = extract(("word " * 5_000).encode(), filename="a.txt").pages
    assert max(len(page.text) for page in pages) <= 3_000


@pytest.mark.parametrize("text", ["[" * 200_000, "*a " * 60_000, "<!--" * 50_000, " " * 300_000 + "|", "`" * 200_000])
def test_hostile_markdown_takes_no_time(text: str) -> None:
    extract(f"# Title\n\n{text}\n\nThe end of it.".encode(), filename="a.md")


# --- what is lost is told ---

GERMAN = (
    "Größe der Verlustschwelle für Fonds. Die Rücknahmegebühr beträgt höchstens zwei Prozent; später äußern sich alle."
)
RUSSIAN = "Максимальная просадка фонда составила двенадцать процентов в четвертом квартале."


def warned(content: bytes, filename: str = "a.txt") -> list[tuple[str, str]]:
    return [(warning.code.value, warning.detail) for warning in extract(content, filename=filename).warnings]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "iso8859-5"),
        ("最大ドローダウンは十二パーセントでした。四半期", "shift-jis"),
        (GERMAN, "cp850"),
        (GERMAN, "mac-roman"),
    ],
)
def test_an_encoding_that_can_not_be_told_is_an_error_and_no_nonsense(text: str, encoding: str) -> None:
    with pytest.raises(UnknownEncodingError, match="Save it as UTF-8"):
        extract(text.encode(encoding), filename="a.txt")


@pytest.mark.parametrize(
    "text",
    [
        "L'été, les gérants français ont réalisé des économies à l'étranger; où ça? L\u2019œuvre coûte 5 €.",
        "El col·legi va pagar 5 € de més; la il·lusió es va acabar.",
        "§ 7 Übertragung: „Größe“ nach ¶ 2, 1º \u2013 3º; ±5 % · 20 °C",
        "MÜNCHEN, KÖLN, DÜSSELDORF",
    ],
)
def test_western_texts_are_read_with_the_guess_told(text: str) -> None:
    assert warned(text.encode("cp1252")) == [("decoded_with_fallback", "read as cp1252, because it is not UTF-8")]


def test_a_page_is_read_as_it_says_of_itself() -> None:
    page = f"<html><head><meta charset='windows-1251'></head><body><p>{RUSSIAN}</p></body></html>".encode("cp1251")
    document = extract(page, filename="a.html")
    assert (document.pages[0].text, document.warnings) == (RUSSIAN, ())


@pytest.mark.parametrize("charset", ["bz2_codec", "utf-8", "no-such-thing", "utf-7"])
def test_a_page_that_says_what_is_not_so_is_not_believed(charset: str) -> None:
    page = f"<html><head><meta charset={charset}></head><body><p>{GERMAN}</p></body></html>".encode("cp1252")
    assert extract(page, filename="a.html").pages[0].text == GERMAN


def test_a_broken_place_does_not_make_another_encoding_of_a_text() -> None:
    content = GERMAN.encode()
    document = extract(content[:40] + b"\xff" + content[40:], filename="a.txt")
    assert "Rücknahmegebühr" in document.pages[0].text
    assert ("characters_lost", "1 character can't be read, and was left out") in [
        (warning.code.value, warning.detail) for warning in document.warnings
    ]


def test_half_a_character_in_utf_16_is_told() -> None:
    assert warned("\ufeffA fund \ud800 of funds".encode("utf-16-le", "surrogatepass"))[0][0] == "characters_lost"


def test_half_a_character_in_a_page_is_told() -> None:
    assert warned(b"<html><body><p>A &#xD800; fund &#56320; &#x1F600; &#57999;</body></html>", "a.html") == [
        ("characters_lost", "2 characters can't be read, and were left out")
    ]


def test_a_text_that_was_decoded_wrongly_before_it_came_is_told() -> None:
    assert [code for code, _ in warned(GERMAN.encode().decode("cp1252", "ignore").encode())] == ["encoding_doubtful"]
    assert warned(GERMAN.encode()) == []
