"""Words that say how to answer and not what the question is about. The search leaves them out, and shows that."""

from __future__ import annotations

from apps.filings.text.mentions import word_set

SCAFFOLDING: frozenset[str] = word_set(
    """
    about according accurately additionally address among amount amounts analyst analysts answer answers
    approximate approximation ask asked asking assume assuming assumption available base based basing basis
    between billion billions bn both calculate calculated calculating calculation chf clear clearly compare
    compared comparison compute computed could decimal decimals define defined describe detail detailed details
    determine directly discuss display displayed documents dollar dollars during end equities eur euro euros
    exact exactly examine expert explain explicitly express extract find fiscal following form formatted gbp
    give given happen help here identify imagine information judgement judgements judgment judgments kindly know
    let like list look many mention mentioned metric metrics million millions mn much need needs number numbers
    one ones only outlined over particular percent percentage percents perspective phrase plainly please
    possible pretend primarily provide provided put quantities quantity quarter quarters question questions
    rather reasonable reasonably refer reference referencing relevant rely relying report reported respond
    response responses round rounded say saying see shall should show shown shows specific specifically state
    stated summarise summarize tell think thousand thousands three told try two understand usd use used useful
    using utilize utilizing versus vs want wanted we what's whether which who why within would write year years
    your
    """
)

SPEECH: frozenset[str] = word_set("analyst analysts answer answers ask asked asking question questions")
"""Those that are the subject where a question names a transcript and no other: what was asked, what was answered."""

NUMBER_WORDS: frozenset[str] = word_set(
    """
    amount amounts average balance cost costs count exposure figure fee fees how level margin many much number
    percent percentage percents price quantity rate ratio return returns revenue size sum total value volatility
    weight yield usd eur gbp chf million millions billion billions
    """
)
"""Words after which a number is what was asked for."""
