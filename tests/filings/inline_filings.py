"""Write small filings of inline XBRL for tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

NAMESPACES = {
    "ix": "http://www.xbrl.org/2013/inlineXBRL",
    "xbrli": "http://www.xbrl.org/2003/instance",
    "xbrldi": "http://xbrl.org/2006/xbrldi",
    "iso4217": "http://www.xbrl.org/2003/iso4217",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "dei": "http://xbrl.sec.gov/dei/2024",
    "us-gaap": "http://fasb.org/us-gaap/2024",
    "srt": "http://fasb.org/srt/2024",
    "ifrs-full": "https://xbrl.ifrs.org/taxonomy/2024-03-27/ifrs-full",
    "acme": "http://acme.example/20250201",
}
UNITS = {
    "usd": "<xbrli:measure>iso4217:USD</xbrli:measure>",
    "eur": "<xbrli:measure>iso4217:EUR</xbrli:measure>",
    "shares": "<xbrli:measure>xbrli:shares</xbrli:measure>",
    "pure": "<xbrli:measure>xbrli:pure</xbrli:measure>",
    "usdPerShare": (
        "<xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>"
        "<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide>"
    ),
}


@dataclass
class InlineFiling:
    """A filing that is being written: its contexts come of the facts."""

    body: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    contexts: dict[tuple[str, tuple[tuple[str, str], ...]], str] = field(default_factory=dict)

    def context(self, period: str, **members: str) -> str:
        """Return the id of a context. Args: period: "2024-02-04/2025-02-01", or a day. members: axis -> member."""
        key = (period, tuple((axis.replace("__", ":"), member) for axis, member in members.items()))
        return self.contexts.setdefault(key, f"c{len(self.contexts) + 1}")

    def fact(
        self,
        tag: str,
        shown: str,
        period: str,
        *,
        unit: str = "usd",
        scale: int | None = 6,
        negative: bool = False,
        form: str = "ixt:num-dot-decimal",
        more: str = "",
        **members: str,
    ) -> str:
        """Return the markup of a fact."""
        attributes = f'name="{tag}" contextRef="{self.context(period, **members)}" unitRef="{unit}" decimals="-6"'
        attributes += f' scale="{scale}"' if scale is not None else ""
        attributes += ' sign="-"' if negative else ""
        attributes += f' format="{form}"' if form else ""
        return f"<ix:nonFraction {attributes} {more}>{shown}</ix:nonFraction>"

    def cover(self, year: int, quarter: str, period: str) -> None:
        """State the fiscal year and quarter, hidden, as most filings do."""
        for name, said in (("DocumentFiscalYearFocus", str(year)), ("DocumentFiscalPeriodFocus", quarter)):
            context = self.context(period)
            self.hidden.append(f'<ix:nonNumeric name="dei:{name}" contextRef="{context}">{said}</ix:nonNumeric>')

    def text(self, markup: str, tag: str = "p") -> None:
        self.body.append(f"<{tag}>{markup}</{tag}>")

    def table(self, rows: list[list[str]]) -> None:
        """Add a table. A row's cells are markup; "" is an empty cell."""
        lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
        self.body.append("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>")

    def write(self) -> bytes:
        names = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
        units = "".join(f'<xbrli:unit id="{name}">{measure}</xbrli:unit>' for name, measure in UNITS.items())
        contexts = "".join(_context(name, *key) for key, name in self.contexts.items())
        header = (
            f'<div style="display:none"><ix:header><ix:hidden>{"".join(self.hidden)}</ix:hidden>'
            f"<ix:resources>{contexts}{units}</ix:resources></ix:header></div>"
        )
        return (
            "<?xml version='1.0' encoding='UTF-8'?>\n"
            f'<html xmlns="http://www.w3.org/1999/xhtml" {names}><head><title>Report</title></head>'
            f"<body>{header}{''.join(self.body)}</body></html>"
        ).encode()


def _context(name: str, period: str, members: tuple[tuple[str, str], ...]) -> str:
    start, _, end = period.partition("/")
    dates = (
        f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
        if end
        else f"<xbrli:instant>{start}</xbrli:instant>"
    )
    said = "".join(
        f'<xbrldi:explicitMember dimension="{axis}">{escape(member)}</xbrldi:explicitMember>'
        if ":" in member
        else f'<xbrldi:typedMember dimension="{axis}"><acme:name>{escape(member)}</acme:name></xbrldi:typedMember>'
        for axis, member in members
    )
    segment = f"<xbrli:segment>{said}</xbrli:segment>" if said else ""
    return (
        f'<xbrli:context id="{name}"><xbrli:entity><xbrli:identifier scheme="http://www.sec.gov/CIK">0000000001'
        f"</xbrli:identifier>{segment}</xbrli:entity><xbrli:period>{dates}</xbrli:period></xbrli:context>"
    )
