"""Work out the figures of a statement: growth, ratio, average and the like, with the expression that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from tests.evaluation.checking.said import Figure, Statement, cells_of
from tests.evaluation.checking.statements import Cell, Name

_LEAST_CHANGE: Final = Decimal("0.6")
_TENTH: Final = Decimal("0.1")


def add_sums(made: Statement) -> Statement | None:
    """Return the statement with what its kind works out; None where it would make no sense or be too close to call."""
    return _BY_KIND[made.kind](made)


def _values(made: Statement) -> dict[str, Decimal]:
    return {slot: figure.value for slot, figure in made.figures.items()}


def _percent(value: Decimal, places: int = 1) -> Figure:
    return Figure(value=value, kind="percent", places=places)


def _single(made: Statement) -> Statement | None:
    figure = made.figures["v"]
    assert figure.cell
    return made if figure.value > 0 or figure.cell.kind == "p" else None


def _growth(made: Statement) -> Statement | None:
    values = _values(made)
    now, before = values["v1"], values["v0"]
    if min(now, before) <= 0 or abs(now / before - 1) * 100 < _LEAST_CHANGE:
        return None
    of = made.figures["v1"]
    figures = {
        **made.figures,
        "d": replace(of, value=now - before, cell=None),
        "g": _percent((now / before - 1) * 100),
        "q": Figure(value=now / before, kind="times", places=3),
    }
    formulas = {"d": "{v1} - {v0}", "g": "({v1} - {v0}) / {v0}", "q": "{v1} / {v0}"}
    return replace(made, figures=figures, formulas=formulas, up=now > before)


def _pchange(made: Statement) -> Statement | None:
    values = _values(made)
    change = values["v1"] - values["v0"]
    if min(values.values()) <= 0 or change == 0:
        return None
    places = max(figure.places for figure in made.figures.values())
    points = Figure(value=change, kind="points", places=places)
    return replace(made, figures={**made.figures, "pp": points}, formulas={"pp": "{v1} - {v0}"}, up=change > 0)


def _ratio(made: Statement) -> Statement | None:
    values = _values(made)
    if min(values.values()) <= 0:
        return None
    ratio = _percent(values["a"] / values["b"] * 100)
    return replace(made, figures={**made.figures, "r": ratio}, formulas={"r": "{a} / {b}"})


def _times(made: Statement) -> Statement | None:
    values = _values(made)
    times = Figure(value=values["a"] / values["b"], kind="times", places=1)
    return replace(made, figures={**made.figures, "r": times}, formulas={"r": "{a} / {b}"})


def _points(made: Statement) -> Statement | None:
    values = _values(made)
    if min(values.values()) <= 0:
        return None
    now, before = (values[f"a{each}"] / values[f"b{each}"] * 100 for each in (1, 0))
    shown = now.quantize(_TENTH, ROUND_HALF_UP) - before.quantize(_TENTH, ROUND_HALF_UP)
    if (now - before).quantize(_TENTH, ROUND_HALF_UP) != shown or shown == 0:
        return None  # the difference of the rounded figures is another one
    figures = {**made.figures, "r1": _percent(now), "r0": _percent(before), "pp": Figure(value=shown, kind="points")}
    formulas = {"r1": "{a1} / {b1}", "r0": "{a0} / {b0}", "pp": "{r1} - {r0}"}
    return replace(made, figures=figures, formulas=formulas, up=shown > 0)


def _average(made: Statement) -> Statement | None:
    values = _values(made)
    of = made.figures["v1"]
    total = values["v1"] + values["v0"]
    scale = of.value / of.cell.value if of.cell else Decimal(1)
    exact = of.places + (1 if total / 2 / scale % (Decimal(1).scaleb(-of.places)) else 0)
    figures = {
        **made.figures,
        "sum": replace(of, value=total, cell=None),
        "avg": replace(of, value=total / 2, cell=None, places=exact),
    }
    return replace(made, figures=figures, formulas={"avg": "({v1} + {v0}) / 2", "sum": "{v1} + {v0}"})


def _on_average(made: Statement) -> Statement | None:
    if made.figures["a"].value <= 0:
        return None
    averaged = _average(made)
    assert averaged
    ratio = _percent(made.figures["a"].value / averaged.figures["avg"].value * 100)
    formulas = {**averaged.formulas, "r": "{a} / {avg}"}
    return replace(averaged, figures={**averaged.figures, "r": ratio}, formulas=formulas)


def _cagr(made: Statement) -> Statement | None:
    values = _values(made)
    if min(values.values()) <= 0 or made.figures["v1"].kind == "percent" or values["v1"] == values["v2"]:
        return None
    quotient = values["v1"] / values["v2"]
    figures = {
        **made.figures,
        "g": _percent((quotient.sqrt() - 1) * 100),
        "q": Figure(value=quotient, kind="times", places=4),
    }
    return replace(
        made,
        figures=figures,
        formulas={"g": "({v1} / {v2})^(1/2) - 1", "q": "{v1} / {v2}"},
        up=quotient > 1,
    )


def _three(made: Statement) -> Statement | None:
    values = _values(made)
    others = [values[slot] for slot in ("v1", "v0", "v2")]
    if min(others) <= 0 or len(set(others)) < 3 or values["v"] not in (max(others), min(others)):
        return None
    kept = {"v": made.figures["v"]}
    return replace(made, figures=kept, first=values["v"] == max(others), periods=made.periods)


def _sum(made: Statement) -> Statement | None:
    of = made.figures["s1"]
    total = replace(of, value=sum(_values(made).values(), Decimal(0)), cell=None)
    assert of.cell
    words = _segment_words(made, of.cell.segment)
    formulas = {"sum": "{s1} + {s2} + {s3}"}
    return replace(made, figures={**made.figures, "sum": total}, formulas=formulas, words=words)


def _segment_words(made: Statement, segment: str) -> dict[str, str]:
    table = next(
        each for each in made.company.tables if each.segments and segment in {r[0].segment for r in each.cells}
    )
    assert table.segments
    return {"of": table.segments.text, "of0": table.segments.bare, "seg": segment}


def _rank(made: Statement) -> Statement | None:
    cell = made.figures["v"].cell
    assert cell
    rivals = [
        each
        for (_, period), each in cells_of(made.company).items()
        if each.table == cell.table and period == cell.period
    ]
    values = [each.value for each in rivals]
    if cell.value not in (max(values), min(values)):
        return None
    others = tuple(each for each in rivals if each is not cell)
    return replace(made, first=cell.value == max(values), words=_segment_words(made, cell.segment), others=others)


def _exceed(made: Statement) -> Statement | None:
    values = _values(made)
    if min(values.values()) <= 0 or not Decimal("0.3") < values["a"] / values["b"] < 3 or values["a"] == values["b"]:
        return None
    return replace(made, first=values["a"] > values["b"])


def _result(made: Statement) -> Statement | None:
    figure = made.figures["v"]
    assert figure.cell
    words = {"l": _result_name(figure.cell, figure.value), "l0": _bare(_result_name(figure.cell, figure.value))}
    return replace(made, figures={"v": replace(figure, value=abs(figure.value))}, words=words)


def _result_name(cell: Cell, value: Decimal) -> str:
    return profit_name(cell).text if value > 0 else cell.loss_names[0].text


def profit_name(cell: Cell) -> Name:
    """The name of a profit that takes an article: `net income` rather than `net earnings`."""
    single = [name for name in cell.names if not name.plural]
    return single[-1] if cell.names[0].text.startswith(("der", "das")) else single[0]


def _bare(name: str) -> str:
    return name.removeprefix("der ").removeprefix("das ").removeprefix("die ")


def _swing(made: Statement) -> Statement | None:
    now, before = made.figures["v1"], made.figures["v0"]
    if (now.value > 0) == (before.value > 0):
        return None
    assert now.cell
    assert before.cell
    words = {"l1": _bare(_result_name(now.cell, now.value)), "l0": _bare(_result_name(before.cell, before.value))}
    return replace(made, figures=_positive(made.figures), words=words)


def _widen(made: Statement) -> Statement | None:
    now, before = made.figures["v1"], made.figures["v0"]
    if max(now.value, before.value) >= 0 or now.cell is None:
        return None
    words = {"l": _result_name(now.cell, now.value)}
    return replace(made, figures=_positive(made.figures), words=words, up=now.value < before.value)


def _positive(figures: Mapping[str, Figure]) -> dict[str, Figure]:
    return {slot: replace(figure, value=abs(figure.value)) for slot, figure in figures.items()}


def _per_unit(made: Statement) -> Statement | None:
    values = _values(made)
    ratio = Figure(value=values["a"] / (values["b"] * 1000), kind="share", places=2)
    return replace(made, figures={**made.figures, "r": ratio}, formulas={"r": "{a} / {b}"})


def _spread(made: Statement) -> Statement | None:
    values = _values(made)
    points = values["a"] - values["b"]
    if min(values.values()) <= 0 or points == 0:
        return None
    figures = {**made.figures, "pp": Figure(value=points, kind="points")}
    return replace(made, figures=figures, formulas={"pp": "{a} - {b}"}, first=points > 0)


def _list(made: Statement) -> Statement | None:
    return made if min(_values(made).values()) > 0 else None


_BY_KIND: Final[Mapping[str, Callable[[Statement], Statement | None]]] = {
    "single": _single, "balance": _single, "pershare": _single, "change": _growth, "yn": _growth, "noyn": _growth,
    "pchange": _pchange, "ratio": _ratio, "times": _times, "points": _points, "average": _average,
    "onaverage": _on_average, "cagr": _cagr, "three": _three, "sum": _sum, "rank": _rank, "exceed": _exceed,
    "result": _result, "swing": _swing, "widen": _widen, "perunit": _per_unit, "spread": _spread, "list": _list,
}  # fmt: skip
