"""Read plain values from Python's syntax tree. Nothing is executed or looked up; a non-literal is a problem."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import accumulate
from typing import Final

LARGEST: Final = 1e15
# A person reads the first few problems and corrects the file; more would only make a response of megabytes.
MOST_PROBLEMS: Final = 100
# The most items of one list; far more than a policy may have (validation.py).
MOST_ITEMS: Final = 1_000
_LONGEST_QUOTED: Final = 60

_WANTED: Final = {
    "text": 'a text in quotes ("...")',
    "whole": "a whole number, such as 800",
    "number": "a number, such as 0.35",
    "setting": "a number, or True or False",
    "list": "a list in square brackets ([...])",
    "dict": "a block in curly brackets ({...})",
}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class FileProblem:
    """A problem at a place in the file, and what to do. Lines and columns count from 1, columns in characters."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


@dataclass(slots=True, kw_only=True)
class LiteralReader:
    """A reader of literals that collects problems; for a wrong or missing literal it returns an empty value."""

    lines: list[str]
    problems: list[FileProblem] = field(default_factory=list)
    left_out: int = 0
    _starts: dict[int, list[int]] = field(default_factory=dict)

    def problem(self, node: ast.AST | None, message: str) -> None:
        if len(self.problems) >= MOST_PROBLEMS:
            self.left_out += 1
            return
        line, column = self.place(node)
        self.problems.append(FileProblem(line=line, column=column, message=message))

    def found(self) -> tuple[FileProblem, ...]:
        """Return the problems sorted by place, with a note on how many were left out."""
        return first_problems(self.problems, left_out=self.left_out)

    def place(self, node: ast.AST | None) -> tuple[int, int]:
        """Return line and column in characters; the parser counts columns in bytes of UTF-8."""
        line: int = getattr(node, "lineno", 1)
        offset: int = getattr(node, "col_offset", 0)
        if self.lines[line - 1].isascii():
            return line, offset + 1
        if line not in self._starts:  # once for each line: a file may be one line of a million nodes
            self._starts[line] = list(accumulate((len(sign.encode()) for sign in self.lines[line - 1]), initial=0))
        return line, bisect_right(self._starts[line], offset)

    def text(self, node: ast.expr | None, what: str, *, longest: int = 0) -> str:
        """Read a text that must not be blank and must be storable; `longest` in characters, 0 for any length."""
        value = _constant(node)
        if not isinstance(value, str):
            self._wrong(node, what, "text")
            return ""
        if not value.strip():
            self.problem(node, f"{what} is empty; write a text.")
        if longest and len(value) > longest:
            self.problem(node, f"{what} has {len(value)} characters; shorten it to {longest} at most.")
        if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
            self.problem(node, f"{what} has a character that can't be stored (\\x00 or \\ud800 to \\udfff); remove it.")
        return value

    def whole(self, node: ast.expr | None, what: str, *, least: int, most: int) -> int:
        value = _constant(node)
        if not isinstance(value, int) or isinstance(value, bool):
            self._wrong(node, what, "whole")
            return least
        if not least <= value <= most:
            said = str(value) if abs(value) < LARGEST else "too large"  # some are too long to be written at all
            self.problem(node, f"{what} is {said}; it must lie between {least} and {most}.")
        return value

    def number(self, node: ast.expr | None, what: str) -> float:
        value = _constant(node)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong(node, what, "number")
            return 0.0
        if not abs(value) < LARGEST:
            self.problem(node, f"{what} is too large; write a smaller number.")
            return 0.0
        return float(value)

    def setting(self, node: ast.expr | None, what: str) -> int | float | bool | None:
        """Read a number or a truth value as it is written; return None for anything else."""
        value = _constant(node)
        if isinstance(value, int | float):
            return value
        self._wrong(node, what, "setting")
        return None

    def items(self, node: ast.expr | None, what: str) -> list[ast.expr]:
        if isinstance(node, ast.List):
            if len(node.elts) > MOST_ITEMS:
                self.problem(node, f"{what} has {len(node.elts)} entries; {MOST_ITEMS} are read at most.")
            return node.elts[:MOST_ITEMS]
        self._wrong(node, what, "list")
        return []

    def fields(
        self,
        node: ast.expr | None,
        what: str,
        keys: Iterable[str],
        *,
        all_needed: bool = True,
        optional: frozenset[str] = frozenset(),
    ) -> dict[str, ast.expr]:
        """Return a block's entries by key; unknown, repeated and missing keys are problems."""
        known = list(keys)
        found: dict[str, ast.expr] = {}
        if not isinstance(node, ast.Dict):
            self._wrong(node, what, "dict")
            return found
        for key_node, value in zip(node.keys, node.values, strict=True):
            key = _constant(key_node)
            place = key_node or value
            if not isinstance(key, str):
                self.problem(place, f'{what}: a key must be a text in quotes, such as "{known[0]}".')
            elif key not in known:
                self.problem(place, f'{what}: there is no key "{shown(key)}"; {nearest(key, known)}')
            elif key in found:
                self.problem(place, f'{what}: the key "{key}" occurs twice; remove one.')
            else:
                found[key] = value
        for key in known if all_needed else ():
            if key not in found and key not in optional:
                self.problem(node, f'{what}: the key "{key}" is missing; add it.')
        return found

    def _wrong(self, node: ast.expr | None, what: str, wanted: str) -> None:
        if node is None:  # it is missing, and that has been said
            return
        if _is_literal(node):
            self.problem(node, f"{what} must be {_WANTED[wanted]}.")
        else:
            self.problem(
                node, f"{what} must be {_WANTED[wanted]}, written out: an expression or a name is not worked out here."
            )


def first_problems(problems: Iterable[FileProblem], *, left_out: int = 0) -> tuple[FileProblem, ...]:
    """Each problem once, by place, and at most MOST_PROBLEMS of them; then one that says how many more there are."""
    found = sorted(set(problems))
    left_out += len(found[MOST_PROBLEMS:])
    if not left_out:
        return tuple(found)
    last = found[:MOST_PROBLEMS][-1]
    message = f"there are {left_out} more problems; they are told when these are mended."
    return (*found[:MOST_PROBLEMS], FileProblem(line=last.line, column=last.column, message=message))


def shown(text: str) -> str:
    """A text of the file as a message quotes it: a long one is cut."""
    return text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]}..."


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence: did you mean "kinds"? Or, where nothing is near: there are "name", "label"."""
    known = list(known)
    close = get_close_matches(shown(name), known, n=1)
    return f'did you mean "{close[0]}"?' if close else f"there are {', '.join(map(repr, known))}."


def _constant(node: ast.expr | None) -> object:
    """The value of a literal; a number may have a sign. None for everything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(inner, int | float) and not isinstance(inner, bool):
            return -inner if isinstance(node.op, ast.USub) else inner
    return None


def _is_literal(node: ast.expr) -> bool:
    """Whether it is one to the eye: what stands inside is read, and complained of, by itself."""
    return isinstance(node, ast.Constant | ast.List | ast.Dict | ast.Tuple | ast.Set) or _constant(node) is not None
