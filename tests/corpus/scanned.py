"""Pages as a scanner gives them: drawn, laid askew, with noise, and put into a PDF that holds nothing but pictures."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pypdfium2
from PIL import Image, ImageFilter

from tests.corpus.files import PdfPage, Stroke, Text, pdf

_DOTS_PER_INCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanner:
    """How a page is scanned.

    skew: degrees to the left; quarters: turns to the left by 90 degrees; noise: of each pixel, of 255; blur: pixels.
    """

    dots_per_inch: int = _DOTS_PER_INCH
    skew: float = 0.6
    quarters: int = 0
    noise: float = 8.0
    blur: float = 0.0

    def scan(self, content: bytes) -> bytes:
        """Return a PDF whose pages are pictures of those of another."""
        return pictures_pdf(
            [self.picture(page, number) for number, page in enumerate(pypdfium2.PdfDocument(content))],
            dots_per_inch=self.dots_per_inch,
        )

    def picture(self, page: pypdfium2.PdfPage, seed: int) -> Image.Image:
        picture = page.render(scale=self.dots_per_inch / 72, grayscale=True).to_pil()
        if self.skew:
            picture = picture.rotate(self.skew, resample=Image.Resampling.BICUBIC, fillcolor=255)
        if self.blur:
            picture = picture.filter(ImageFilter.GaussianBlur(self.blur))
        noise = np.random.default_rng(seed).normal(0, self.noise, (picture.height, picture.width))
        grey = np.clip(np.asarray(picture, dtype=np.float32) + noise, 0, 255).astype(np.uint8)
        return Image.fromarray(grey).rotate(90 * self.quarters, expand=True)


def pictures_pdf(pictures: Sequence[Image.Image], *, dots_per_inch: float = _DOTS_PER_INCH) -> bytes:
    target = io.BytesIO()
    first, *others = pictures
    first.save(target, "PDF", save_all=True, append_images=others, resolution=dots_per_inch, quality=75)
    return target.getvalue()


def mixed(*contents: bytes) -> bytes:
    """Return the pages of several PDFs as one."""
    whole = pypdfium2.PdfDocument.new()
    for content in contents:
        whole.import_pages(pypdfium2.PdfDocument(content))
    target = io.BytesIO()
    whole.save(target)
    return target.getvalue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A page with a table, and its figures as they are printed: label, and one for each column."""

    page: PdfPage
    rows: Sequence[tuple[str, tuple[str, ...]]]


_TITLES = (
    "CONSOLIDATED STATEMENTS OF INCOME",
    "Consolidated Balance Sheets",
    "Consolidated Statements of Cash Flows",
    "Segment information",
)
_LABELS = (
    "Revenue",
    "Cost of sales",
    "Gross profit",
    "Research and development",
    "Selling, general and administrative expenses",
    "Amortization of intangible assets",
    "Operating income",
    "Interest expense",
    "Other income, net",
    "Income before income taxes",
    "Provision for income taxes",
    "Net income",
    "Cash and cash equivalents",
    "Accounts receivable, net",
    "Inventories",
    "Property, plant and equipment, net",
    "Goodwill",
    "Total assets",
    "Accounts payable",
    "Long-term debt",
    "Deferred tax liabilities",
    "Total liabilities",
    "Retained earnings",
    "Total shareholders' equity",
)
_GERMAN_LABELS = (
    "Umsatzerlöse",
    "Bestandsveränderungen",
    "Materialaufwand",
    "Personalaufwand",
    "Abschreibungen auf Sachanlagen",
    "Sonstige betriebliche Erträge",
    "Zinsen und ähnliche Aufwendungen",
    "Jahresüberschuss",
    "Rückstellungen für Pensionen",
    "Verbindlichkeiten gegenüber Kreditinstituten",
    "Eigenkapital",
    "Bilanzsumme",
)


def statement(seed: int) -> Statement:
    """Return a page of figures in one of the forms that reports have: type, columns, brackets, rules, language."""
    chance = random.Random(seed)
    german = seed % 5 == 4
    size = chance.choice((7.5, 8, 9, 10))
    columns = chance.choice((2, 2, 3))
    rights = [540 - 70 * number for number in reversed(range(columns))]
    labels = list(_GERMAN_LABELS if german else _LABELS)
    texts = [
        Text(72, 730, "Gewinn- und Verlustrechnung" if german else chance.choice(_TITLES), 12, bold=True),
        Text(72, 714, "(in Tausend Euro)" if german else "(in millions of US dollars)", 8),
        *(Text(right - 20, 694, str(2023 - number), size, bold=True) for number, right in enumerate(rights)),
    ]
    strokes = [Stroke(72, 688, 545, 688)]
    rows = []
    y = 672.0
    for label in labels:
        figures = tuple(_figure(chance, german=german) for _ in rights)
        bold = label.startswith(("Total", "Net income", "Bilanz"))
        texts.append(Text(72, y, label, size, bold=bold))
        for figure, right in zip(figures, rights, strict=True):
            texts.append(Text(right - 0.5 * size * len(figure), y, figure, size, bold=bold))
        if bold:
            strokes.append(Stroke(rights[0] - 50, y + size + 1, 545, y + size + 1))
        rows.append((label, figures))
        y -= size * 2.1
    return Statement(page=PdfPage(texts, strokes=strokes), rows=rows)


def _figure(chance: random.Random, *, german: bool) -> str:
    value = chance.choice((chance.randint(1, 999), chance.randint(1_000, 99_999), chance.randint(100_000, 9_999_999)))
    if german:
        return f"{'-' if chance.random() < 0.2 else ''}{value:,}".replace(",", ".")
    return f"({value:,})" if chance.random() < 0.25 else f"{value:,}"


def statements_pdf(seeds: Sequence[int]) -> bytes:
    return pdf([statement(seed).page for seed in seeds])
