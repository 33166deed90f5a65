"""A seeded corpus in English and German that names a person in known places, among people of similar names."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from apps.privacy.people.contracts import PersonDescription, PersonName

ENGLISH = (
    "The committee discussed liquidity and the hedging of currencies at length.",
    "Management fees amount to 0.75 % a year of the net asset value, as agreed in March 2021.",
    "Does the fund hold cash? It does, and more than the 1,234,567 that the auditors of Brandt Partners saw.",
    "A brown cover was chosen for the report; the young analysts will write to the clients on Monday.",
    "Payment was made to account 7788990011 under reference 2024-11-08/17.",
    "Meyer Capital and the Schmidt Foundation voted against the proposal of the board.",
)
GERMAN = (
    "Der Ausschuss hat die Liquidität und die Absicherung der Währungen ausführlich besprochen.",
    "Die Verwaltungsvergütung beträgt 0,75 % im Jahr, wie am 3. März 2021 vereinbart wurde.",
    "Der junge Müller von nebenan mahlt das Korn der Bäckerei Becker & Söhne in der Schmidtstraße.",
    "Für die Kunden der Niederlassung in Köln gilt der Vertrag Nr. 5566/778 weiter.",
    "Die Anlage wurde von der Meier Vermögensverwaltung GmbH geprüft, Telefon 0221 445566.",
    "Die braune Mappe liegt im Schrank; der neue Leiter will sie am Montag übergeben.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A mention that the generator wrote: page.text[start:end]. misspelt: by a slip, or in another usual spelling."""

    page: int
    start: int
    end: int
    form: str
    misspelt: bool


@dataclass(slots=True)
class Subject:
    person: PersonDescription
    given: str
    family: str
    decoys: tuple[str, ...]
    spellings: tuple[str, ...]


@dataclass(slots=True)
class Corpus:
    pages: list[str] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)


SUBJECTS: tuple[Subject, ...] = (
    Subject(
        PersonDescription(
            names=(PersonName(given="John Michael", family="Doe"),),
            aliases=("Johnny Doe",),
            emails=("john.doe@example.com",),
            phones=("+44 20 7946 0958",),
            ibans=("GB29 NWBK 6016 1331 9268 19",),
            accounts=("CL-0049/771.3",),
        ),
        "John",
        "Doe",
        ("Jane Doe", "Peter Doe", "John Dow", "Joan Deere", "John Smith", "Doreen Johns"),
        ("Jon Doe",),
    ),
    Subject(
        PersonDescription(
            names=(PersonName(full="Jürgen Müller"),),
            emails=("juergen.mueller@bank.example",),
            phones=("089 / 123 45 67",),
            ibans=("DE89370400440532013000",),
            accounts=("4711 0815 99",),
        ),
        "Jürgen",
        "Müller",
        ("Jörg Müller", "Jürgen Möller", "Anna Müller", "Jürgen Mühlbauer", "Julia Miller"),
        ("Jürgen Muller", "Juergen Mueller", "Jurgen Müller"),
    ),
    Subject(
        PersonDescription(
            names=(PersonName(full="Dr. Christian Meier-Schmidt"),),
            emails=("c.meier-schmidt@vermoegen.example",),
            phones=("+49 (0)221 9876543",),
            accounts=("DEP 2024 0007",),
        ),
        "Christian",
        "Meier-Schmidt",
        ("Christine Meier", "Christian Schmidtbauer", "Karl Meier-Schulz", "Christoph Schmidt", "Christian Maurer"),
        ("Kristian Meier-Schmidt", "Christian Meyer-Schmidt", "Christian Maier-Schmitt"),
    ),
    Subject(
        PersonDescription(
            names=(PersonName(given="Katharina", family="von der Heydebrand"),),
            emails=("k.heydebrand@example.org",),
            phones=("0043 1 5880099",),
            accounts=("KD-88213-X",),
        ),
        "Katharina",
        "von der Heydebrand",
        ("Katharina von der Heide", "Karl Heydenreich", "Katja Brandt", "Katrin Heyder"),
        ("Catharina von der Heydebrand", "Katharina von der Heidebrand"),
    ),
)

Form = tuple[str, Callable[[random.Random, Subject], str]]


def exact_forms(subject: Subject) -> list[Form]:
    """The name as it is, in the ways that it is written in."""
    given, family = subject.given, subject.family
    plain = family.rsplit(" ", 1)[-1]
    broken_at = max(2, len(plain) // 2)
    person = subject.person
    email, phone, account = person.emails[0], person.phones[0], person.accounts[0]
    local = "".join(letter for letter in phone.replace("(0)", "") if letter.isdigit())
    forms: list[tuple[str, str]] = [
        ("whole", f"{given} {family}"),
        ("titled", f"{given} {family}"),
        ("turned round", f"{family}, {given}"),
        ("turned round, titled", f"{family}, Dr. {given}"),
        ("capitals", f"{given} {family}".upper()),
        ("small", f"{given} {family}".lower()),
        ("two blanks", f"{given}  {family}"),
        ("no-break space", f"{given}\u00a0{family}"),
        ("over a line's end", f"{given}\n{family}"),
        ("divided word", f"{given} {family[: -len(plain)]}{plain[:broken_at]}-\n{plain[broken_at:]}")
        if "-" not in plain
        else ("divided name", f"{given} {family.replace('-', '-' + chr(10))}"),
        ("genitive", f"{given} {family}'s"),
        ("initial", f"{given[0]}. {family}"),
        ("middle initial", f"{given} M. {family}"),
        ("family initial", f"{given} {plain[0]}."),
        ("alone, titled", f"{family}"),
        ("alone", f"{plain}"),
        ("file name", f"{plain}_{given}_2024.pdf"),
        ("address elsewhere", f"{given}.{plain}@other.example".lower()),
        ("e-mail", email),
        ("e-mail, capitals", email.upper()),
        ("e-mail spelt out", email.replace("@", " (at) ")),
        ("phone", phone),
        ("phone, digits", local if local.startswith("0") else f"+{local}"),
        ("account", account),
        ("account, digits", "".join(letter for letter in account if letter.isalnum())),
    ]
    if person.ibans:
        iban = person.ibans[0].replace(" ", "")
        forms += [("iban", iban), ("iban, in fours", " ".join(iban[at : at + 4] for at in range(0, len(iban), 4)))]
    if not f"{given}{family}".isascii():
        written = str.maketrans({"ü": "ue", "ö": "oe", "ä": "ae", "ß": "ss"})
        forms += [
            ("umlauts written out", f"{given} {family}".translate(written)),
            ("umlauts in two", f"{given} {family}".replace("ü", "u\u0308")),
        ]
    return [(name, _written(text)) for name, text in forms]


def _written(text: str) -> Callable[[random.Random, Subject], str]:
    return lambda _random, _subject: text


def misspelt_forms(subject: Subject) -> list[Form]:
    return [
        ("slip in the family name", lambda random_, each: f"{each.given} {slip(random_, each.family)}"),
        ("slip in the given name", lambda random_, each: f"{slip(random_, each.given)} {each.family}"),
        ("slip, turned round", lambda random_, each: f"{slip(random_, each.family)}, {each.given}"),
        ("slip in capitals", lambda random_, each: f"{each.given} {slip(random_, each.family)}".upper()),
        *([("two slips", _two_slips)] if len(subject.family) > 3 else []),
        *[("spelling", _written(text)) for text in subject.spellings],
    ]


def _two_slips(random_: random.Random, subject: Subject) -> str:
    return f"{slip(random_, subject.given)} {slip(random_, subject.family)}"


def slip(random_: random.Random, name: str) -> str:
    """One letter left out, doubled, changed or swapped with the next, not at the word's very beginning."""
    head, _, word = name.rpartition(" ")
    letters = list(word)
    while "".join(letters) == word:
        at = random_.randrange(1, len(letters))
        if not letters[at].isalpha():
            continue
        kind = random_.choice(("drop", "double", "change", "swap"))
        if kind == "drop" and len(letters) > 3:
            del letters[at]
        elif kind == "double":
            letters.insert(at, letters[at])
        elif kind == "change":
            letters[at] = random_.choice("aeiourstnlmd")
        elif kind == "swap" and at + 1 < len(letters) and letters[at + 1].isalpha():
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return f"{head} {''.join(letters)}".strip()


def corpus_of(subject: Subject, *, seed: int, pages: int = 100) -> Corpus:
    """Every second page names the person once, in a form of its own; every page names decoys."""
    random_ = random.Random(seed)
    exact, misspelt = exact_forms(subject), misspelt_forms(subject)
    corpus = Corpus()
    for number in range(pages):
        sentences = ENGLISH if random_.random() < 0.5 else GERMAN
        before, after = (_filler(random_, sentences, subject) for _ in range(2))
        if number % 2:
            corpus.pages.append(f"{before} {after}")
            continue
        is_misspelt = number % 4 == 2
        form, write = (misspelt if is_misspelt else exact)[number // 4 % len(misspelt if is_misspelt else exact)]
        text = write(random_, subject)
        lead = _lead(random_, form)
        start = len(before) + 1 + len(lead)
        end = random_.choice((".", ",", " and", " am 3. Mai."))
        corpus.pages.append(f"{before} {lead}{text}{end} {after}")
        corpus.planted.append(
            Planted(page=number, start=start, end=start + len(_name_in(text, form)), form=form, misspelt=is_misspelt)
        )
    return corpus


def _name_in(text: str, form: str) -> str:
    """What of it names the person: not the rest of an address or a file's name."""
    return {"file name": text.removesuffix("_2024.pdf"), "address elsewhere": text.partition("@")[0]}.get(form, text)


def _lead(random_: random.Random, form: str) -> str:
    if form == "titled":
        return random_.choice(("Mr ", "Herr ", "Dr. "))
    if form == "alone, titled":
        return random_.choice(("from Mr ", "an Herrn ", "Frau Dr. "))
    return random_.choice(("we heard from ", "geschrieben an ", "see ", "laut "))


def _filler(random_: random.Random, sentences: tuple[str, ...], subject: Subject) -> str:
    chosen = [random_.choice(sentences) for _ in range(random_.randrange(3, 7))]
    chosen.insert(random_.randrange(len(chosen)), f"A letter came from {random_.choice(subject.decoys)} in May.")
    return " ".join(chosen)


def subjects() -> Iterator[tuple[str, Subject]]:
    for subject in SUBJECTS:
        yield f"{subject.given} {subject.family}", subject
