"""An answer as Markdown: what documents say formats nothing and links nowhere."""

from __future__ import annotations

import pytest

from apps.research.runs.contracts import Result, Section, Sentence
from apps.research.runs.export import as_markdown


def told(text: str) -> str:
    sentence = Sentence(text=text, marks=(), grounded=True)
    result = Result(
        sections=(Section(title="Fees", sentences=(sentence,)),),
        table=None,
        sources=(),
        gaps=(),
        notices=(),
        disclaimers=(),
        scores=(),
        confidence=0,
        stopped_by="",
    )
    return next(line for line in as_markdown(result).splitlines() if line.startswith("- "))[2:]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("see https://evil.example/?a=1&b=2", r"see https\://evil.example/?a=1\&b=2"),
        ("see www.evil.example", r"see www\.evil.example"),
        ("see WWW.evil.example", r"see WWW\.evil.example"),
        ("write to charlie@evil.example", r"write to charlie\@evil.example"),
        ("mailto:charlie", r"mailto\:charlie"),
        ("[here](x) and ![it](y)", r"\[here\](x) and !\[it\](y)"),
        ("~~not~~ $x$ &lt;b&gt; <b>", r"\~\~not\~\~ \$x\$ \&lt;b\&gt; \<b\>"),
    ],
)
def test_what_a_document_says_links_nowhere(said: str, shown: str) -> None:
    assert told(said) == shown


def test_figures_stay_as_they_are() -> None:
    assert told("It was 12.5 % (of 3,000).") == "It was 12.5 % (of 3,000)."
