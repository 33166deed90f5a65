"""Write whole annual reports of inline XBRL whose facts are known: statements, notes and segments.

A seed varies what rows are called, how the tables are laid out, and which figures they hold.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from decimal import Decimal

from tests.filings.inline_filings import InlineFiling

YEARS = ("2024-02-04/2025-02-01", "2023-01-29/2024-02-03", "2022-01-30/2023-01-28")
ENDS = tuple(period.partition("/")[2] for period in YEARS)
FISCAL_YEARS = (2024, 2023, 2022)

_INCOME = (
    ("us-gaap:Revenues", ("Net sales", "Total revenues", "Revenue, net")),
    ("us-gaap:CostOfRevenue", ("Cost of sales", "Cost of goods sold", "Cost of revenue")),
    ("us-gaap:GrossProfit", ("Gross profit", "Gross margin")),
    ("us-gaap:SellingGeneralAndAdministrativeExpense", ("Selling, general and administrative", "SG&A expenses")),
    ("us-gaap:ResearchAndDevelopmentExpense", ("Research and development", "R&D: own and bought")),
    ("us-gaap:OperatingIncomeLoss", ("Operating income", "Operating income (loss)")),
    ("us-gaap:InterestExpense", ("Interest expense", "Interest expense, net")),
    ("us-gaap:IncomeTaxExpenseBenefit", ("Provision for income taxes", "Income tax expense")),
    ("us-gaap:NetIncomeLoss", ("Net income", "Net earnings", "Net income (loss)")),
    ("us-gaap:EarningsPerShareBasic", ("Basic earnings per share", "Basic")),
    ("us-gaap:EarningsPerShareDiluted", ("Diluted earnings per share", "Diluted")),
)
_BALANCE = (
    ("us-gaap:CashAndCashEquivalentsAtCarryingValue", ("Cash and cash equivalents",)),
    ("us-gaap:AccountsReceivableNetCurrent", ("Accounts receivable, net", "Receivables")),
    ("us-gaap:InventoryNet", ("Inventories", "Merchandise inventories")),
    ("us-gaap:AssetsCurrent", ("Total current assets",)),
    ("us-gaap:PropertyPlantAndEquipmentNet", ("Property and equipment, net", "Property, plant and equipment")),
    ("us-gaap:Goodwill", ("Goodwill",)),
    ("us-gaap:Assets", ("Total assets",)),
    ("us-gaap:AccountsPayableCurrent", ("Accounts payable", "Trade accounts payable")),
    ("us-gaap:LiabilitiesCurrent", ("Total current liabilities",)),
    ("us-gaap:LongTermDebtNoncurrent", ("Long-term debt", "Long-term debt, net")),
    ("us-gaap:Liabilities", ("Total liabilities",)),
    ("us-gaap:RetainedEarningsAccumulatedDeficit", ("Retained earnings", "Accumulated deficit")),
    ("us-gaap:StockholdersEquity", ("Total stockholders\u2019 equity", "Total equity")),
    ("us-gaap:LiabilitiesAndStockholdersEquity", ("Total liabilities and equity",)),
)
_CASH = (
    ("us-gaap:NetIncomeLoss", ("Net income", "Net earnings")),
    ("us-gaap:DepreciationDepletionAndAmortization", ("Depreciation and amortization", "Depreciation")),
    ("us-gaap:ShareBasedCompensation", ("Stock-based compensation",)),
    ("us-gaap:NetCashProvidedByUsedInOperatingActivities", ("Net cash provided by operating activities",)),
    ("us-gaap:PaymentsToAcquirePropertyPlantAndEquipment", ("Capital expenditures", "Purchases of property")),
    ("us-gaap:NetCashProvidedByUsedInInvestingActivities", ("Net cash used in investing activities",)),
    ("us-gaap:PaymentsOfDividends", ("Dividends paid", "Cash dividends")),
    ("us-gaap:PaymentsForRepurchaseOfCommonStock", ("Repurchases of common stock",)),
    ("us-gaap:NetCashProvidedByUsedInFinancingActivities", ("Net cash used in financing activities",)),
)
_SEGMENTS = ("acme:NorthAmericaMember", "acme:EuropeMember", "acme:AsiaPacificMember", "acme:OtherSegmentsMember")
_WRAPPERS = ("{}", "<span>{}</span>", "<p style='margin:0'>{}</p>", "<div><b>{}</b></div>")
_SEGMENT_WORDS = {"NorthAmerica": "North America", "AsiaPacific": "Asia Pacific", "OtherSegments": "Other Segments"}
_PARTS = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta")

_SWAPPED = str.maketrans(",.", ".,")
_Rows = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFact:
    """A fact that a filing states, in the order of its text. printed: without signs around the number."""

    tag: str
    value: Decimal
    fiscal_year: int
    label: str
    printed: str
    dimension: str = ""
    heading: str = ""
    statement: str = ""


class WholeFiling:
    """One annual report, as its seed has it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._filing = InlineFiling()
        self._signs_apart = self._random.random() < 0.5
        self._bracket_with_number = self._random.random() < 0.5
        self._spacers = self._random.random() < 0.5
        self._header_cell = self._random.choice(("th", "td"))
        self._wrap = self._random.choice(
            ("{}", "<span>{}</span>", "<p style='margin:0'>{}</p>", "<div><b>{}</b></div>")
        )
        self._note_column = self._random.random() < 0.3
        self._change_column = self._random.random() < 0.3
        self._broken_heading = self._random.random() < 0.3
        self._decimal_commas = self._random.random() < 0.3
        self._known: list[KnownFact] = []

    def write(self) -> tuple[bytes, list[KnownFact]]:
        self._filing.cover(2024, "FY", YEARS[0])
        self._filing.text("ACME CORPORATION", "h1")
        self._filing.text("See Item 7. " + "The year was a good one for the group. " * 40)
        self._statement("income_statement", "Consolidated Statements of Operations", _INCOME, YEARS)
        self._statement("balance_sheet", "Consolidated Balance Sheets", _BALANCE, ENDS[:2])
        self._statement("cash_flow_statement", "Consolidated Statements of Cash Flows", _CASH, YEARS)
        self._filing.text("Notes to Consolidated Financial Statements", "h2")
        for number in range(8):
            self._note(number)
        self._segments()
        return self._filing.write(), self._known

    def _statement(
        self, name: str, title: str, rows: tuple[tuple[str, tuple[str, ...]], ...], periods: tuple[str, ...]
    ) -> None:
        self._filing.text(title, "h2")
        self._filing.text("(In millions, except per share data)")
        table = [self._header("", FISCAL_YEARS[: len(periods)], spanned="/" in periods[0])]
        for tag, labels in rows:
            if self._random.random() < 0.15:
                table.append(self._row(f"{self._random.choice(_PARTS)} items:", []))
            table.append(self._figures(tag, self._random.choice(labels), periods, statement=name))
        self._add_table(table)

    def _note(self, number: int) -> None:
        part = _PARTS[number]
        self._filing.text(f"Note {number + 1}: {part}", "h3")
        amount = self._random.randint(2, 900)
        markup = self._known_fact(f"acme:{part}Commitment", str(amount), ENDS[0], 0, label="", statement="")
        self._filing.text(f"The group has commitments of ${markup} million, and had {amount} million a year before.")
        rows = [self._header("(in millions)", FISCAL_YEARS)]
        for at, other in enumerate(_PARTS[: self._random.randint(3, 8)]):
            rows.append(self._figures(f"acme:{part}{other}", other if at % 2 else f"{other} of {part}", YEARS))
        # Figures of the statements, printed again.
        rows.append(self._figures("us-gaap:Revenues", "Net sales", YEARS))
        wrapped = self._random.random() < 0.5
        if wrapped:
            context = self._filing.context(YEARS[0])
            self._filing.body.append(f'<ix:nonNumeric name="acme:{part}TextBlock" contextRef="{context}">')
        self._add_table(rows)
        self._filing.body.append("</ix:nonNumeric>" if wrapped else "")
        self._filing.table([["\u2022", f"{part} is a part of the group"], ["\u2022", "So are others"]])

    def _segments(self) -> None:
        self._filing.text("Segments", "h3")
        axis = "us-gaap__StatementBusinessSegmentsAxis"
        for tag, label in (("us-gaap:Revenues", "Net sales"), ("us-gaap:OperatingIncomeLoss", "Operating income")):
            rows = [self._header(label, FISCAL_YEARS)]
            for member in _SEGMENTS:
                name = member.removeprefix("acme:").removesuffix("Member")
                rows.append(self._figures(tag, name, YEARS, dimension=_SEGMENT_WORDS.get(name, name), **{axis: member}))
            rows.append(self._figures(tag, f"Total {label.lower()}", YEARS))
            self._add_table(rows)

    def _figures(
        self,
        tag: str,
        label: str,
        periods: tuple[str, ...],
        *,
        statement: str = "",
        dimension: str = "",
        **members: str,
    ) -> str:
        per_share = "PerShare" in tag
        cells = []
        for at, period in enumerate(periods):
            number = self._random.choice((7, 12, 100, self._random.randint(1, 99_999)))
            shown = f"{number % 20}.{number % 90 + 10}" if per_share else f"{number:,}"
            negative = not per_share and self._random.random() < 0.15
            if not per_share and self._random.random() < 0.04:
                shown, negative = "\u2014", False
            markup = self._known_fact(
                tag,
                shown,
                period,
                at,
                label=label,
                statement=statement,
                dimension=dimension,
                negative=negative,
                per_share=per_share,
                heading=("Fiscal " if self._broken_heading else "") + str(FISCAL_YEARS[at]),
                **members,
            )
            cells.append((markup, negative))
        return self._row(label, cells)

    def _known_fact(
        self,
        tag: str,
        shown: str,
        period: str,
        at: int,
        *,
        label: str,
        statement: str,
        dimension: str = "",
        negative: bool = False,
        per_share: bool = False,
        heading: str = "",
        **members: str,
    ) -> str:
        nothing = shown == "\u2014"
        scale = 0 if per_share else 6
        value = Decimal(0) if nothing else Decimal(shown.replace(",", "")).scaleb(scale) * (-1 if negative else 1)
        shown = shown.translate(_SWAPPED) if self._decimal_commas else shown
        self._known.append(
            KnownFact(
                tag=tag,
                value=value,
                fiscal_year=FISCAL_YEARS[at],
                label=label,
                printed=shown,
                dimension=dimension,
                heading=heading,
                statement=statement,
            )
        )
        form = "ixt:num-comma-decimal" if self._decimal_commas else "ixt:num-dot-decimal"
        form = "ixt:fixed-zero" if nothing else form
        unit = "usdPerShare" if per_share else "usd"
        return self._filing.fact(tag, shown, period, unit=unit, scale=scale, negative=negative, form=form, **members)

    def _header(self, first: str, years: tuple[int, ...], *, spanned: bool = False) -> str:
        name = self._header_cell
        width = 3 if self._signs_apart else 1
        spacer = "<td></td>" if self._spacers else ""
        over = "Fiscal<br/>" if self._broken_heading else ""
        cells = f"<{name}>Note</{name}>" if self._note_column else ""
        cells += "".join(f'{spacer}<{name} colspan="{width}">{over}{year}</{name}>' for year in years)
        cells += f"<{name}>Change</{name}>" if self._change_column else ""
        line = f"<tr><{name}>{first}</{name}>{cells}</tr>"
        if spanned and self._random.random() < 0.5:
            note = "<td></td>" if self._note_column else ""
            span = len(years) * (width + bool(spacer))
            line = f'<tr><td></td>{note}<{name} colspan="{span}">Fiscal year ended</{name}></tr>' + line
        return line

    def _row(self, label: str, cells: list[tuple[str, bool]]) -> str:
        spacer = "<td></td>" if self._spacers else ""
        line = f"<td>{self._wrap.format(label.replace('&', '&amp;'))}</td>"
        dollar = self._random.random() < 0.3
        # Numbers that are no facts, and equal some that are.
        line += f"<td>{self._random.choice(('7', '12', ''))}</td>" if self._note_column else ""
        for markup, negative in cells:
            before, after = ("$" if dollar else "") + ("(" if negative else ""), ")" if negative else ""
            if self._signs_apart and self._bracket_with_number:
                opened = "(" if negative else ""
                before = before.removesuffix("(")
                line += f"{spacer}<td>{before}</td><td>{self._wrap.format(opened + markup)}</td><td>{after}</td>"
            elif self._signs_apart:
                line += f"{spacer}<td>{before}</td><td>{self._wrap.format(markup)}</td><td>{after}</td>"
            else:
                line += f"{spacer}<td>{self._wrap.format(before + markup + after)}</td>"
        line += f"<td>{self._random.choice(('7', '12', '(7)', '100%'))}</td>" if self._change_column else ""
        return f"<tr>{line}</tr>"

    def _add_table(self, rows: list[str]) -> None:
        self._filing.body.append(f"<div><table>{''.join(rows)}</table></div>")
