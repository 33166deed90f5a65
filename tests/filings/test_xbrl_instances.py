"""XBRL instances: XML files of facts, which extraction shows as a table."""

from __future__ import annotations

from decimal import Decimal

import pytest

from apps.corpus.extraction import ExtractionError, extract
from apps.filings.contracts import FactUnit
from apps.filings.xbrl.inline import read_inline

INSTANCE = """<?xml version="1.0" encoding="UTF-8"?>
<!-- made for a test -->
<xbrli:xbrl xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:gaap="http://fasb.org/us-gaap/2024"
  xmlns:dei="http://xbrl.sec.gov/dei/2024" xmlns:iso4217="http://www.xbrl.org/2003/iso4217"
  xmlns:xbrldi="http://xbrl.org/2006/xbrldi" xmlns:acme="http://acme.example/2024"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <xbrli:context id="year"><xbrli:entity><xbrli:identifier scheme="x">1</xbrli:identifier></xbrli:entity>
    <xbrli:period><xbrli:startDate>2024-02-04</xbrli:startDate><xbrli:endDate>2025-02-01</xbrli:endDate></xbrli:period>
  </xbrli:context>
  <xbrli:context id="part"><xbrli:entity><xbrli:identifier scheme="x">1</xbrli:identifier><xbrli:segment>
    <xbrldi:explicitMember dimension="gaap:StatementBusinessSegmentsAxis">acme:NorthAmericaMember
    </xbrldi:explicitMember>
    </xbrli:segment></xbrli:entity>
    <xbrli:period><xbrli:startDate>2024-02-04</xbrli:startDate><xbrli:endDate>2025-02-01</xbrli:endDate></xbrli:period>
  </xbrli:context>
  <xbrli:context id="end"><xbrli:entity><xbrli:identifier scheme="x">1</xbrli:identifier></xbrli:entity>
    <xbrli:period><xbrli:instant>2025-02-01</xbrli:instant></xbrli:period></xbrli:context>
  <xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>
  <xbrli:unit id="eps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure>
    </xbrli:unitNumerator><xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator>
    </xbrli:divide></xbrli:unit>
  <dei:DocumentFiscalYearFocus contextRef="year">2024</dei:DocumentFiscalYearFocus>
  <dei:DocumentFiscalPeriodFocus contextRef="year">FY</dei:DocumentFiscalPeriodFocus>
  <gaap:Revenues contextRef="year" unitRef="usd" decimals="-6">1577000000</gaap:Revenues>
  <gaap:Revenues contextRef="part" unitRef="usd" decimals="-6">1200000000</gaap:Revenues>
  <gaap:NetIncomeLoss contextRef="year" unitRef="usd" decimals="-6">-12000000</gaap:NetIncomeLoss>
  <gaap:EarningsPerShareDiluted contextRef="year" unitRef="eps" decimals="2">-0.25</gaap:EarningsPerShareDiluted>
  <gaap:Assets contextRef="end" unitRef="usd" decimals="-6">2024</gaap:Assets>
  <gaap:Goodwill contextRef="end" unitRef="usd" xsi:nil="true"/>
  <acme:DebtTextBlock contextRef="year">&lt;p&gt;Debt is due in 2030.&lt;/p&gt;</acme:DebtTextBlock>
</xbrli:xbrl>
"""


@pytest.mark.parametrize("filename", ["facts.xml", "facts.xbrl"])
def test_facts_of_an_instance_stand_in_the_table_that_shows_them(filename: str) -> None:
    content = INSTANCE.encode()
    document = extract(content, filename=filename)
    facts = read_inline(content, document, fiscal_year=None).facts
    text = document.pages[0].text
    assert "Debt is due in 2030." in text
    assert [fact.value for fact in facts] == [
        Decimal(1_577_000_000),
        Decimal(1_200_000_000),
        Decimal(-12_000_000),
        Decimal("-0.25"),
        Decimal(2024),
    ]
    assert [text[fact.cell.start : fact.cell.end] for fact in facts] == [fact.printed for fact in facts]
    assert [fact.printed for fact in facts][-2:] == ["-0.25", "2024"]
    assert {(fact.fiscal_year, fact.fiscal_quarter) for fact in facts} == {(2024, 0)}
    assert [fact.dimension for fact in facts] == ["", "North America", "", "", ""]
    assert [fact.unit for fact in facts][3] is FactUnit.PER_SHARE
    assert (facts[0].tag, facts[0].concept) == ("us-gaap:Revenues", "revenue")
    assert (facts[0].label, facts[0].column) == ("Revenues", "Value")


@pytest.mark.parametrize(
    ("find", "replacement"),
    [
        ("</xbrli:xbrl>", ""),
        ("<xbrli:xbrl", '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><xbrli:xbrl'),
        ("</xbrli:xbrl>", "<a>" * 100_000 + "</xbrli:xbrl>"),
        (">1577000000<", ">&b;<"),
        (">1577000000<", "><a><b/></a><"),
        ('contextRef="year"', 'contextRef="none"'),
        ("2025-02-01", "9999-99-99"),
    ],
)
def test_a_broken_instance_ends_in_fewer_facts_or_none(find: str, replacement: str) -> None:
    content = INSTANCE.replace(find, replacement).encode()
    document = extract(INSTANCE.encode(), filename="facts.xml")
    assert len(read_inline(content, document, fiscal_year=None).facts) <= 5
    try:
        extract(content, filename="facts.xml")
    except ExtractionError:
        return


def test_facts_without_a_prefix_are_those_of_the_default_namespace() -> None:
    content = INSTANCE.replace("xmlns:gaap=", 'xmlns="http://fasb.org/us-gaap/2024" xmlns:gaap=')
    content = content.replace("<gaap:", "<").replace("</gaap:", "</")
    facts = read_inline(content.encode(), extract(content.encode(), filename="facts.xml"), fiscal_year=None).facts
    assert [fact.tag for fact in facts][:1] == ["us-gaap:Revenues"]
