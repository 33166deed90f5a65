"""Reasons that the declarations of several models give."""

from __future__ import annotations

from typing import Final

# Why something stays.
# GDPR 17(3)(b) and (e), and 5(2): these rows are the proof of what was removed, what was kept, and on whose word.
ACCOUNTABLE: Final = (
    "Under GDPR 17(3)(b) and (e): who decided what is removed and what is kept is what the firm must be able to show."
)
EVIDENCE: Final = (
    "Under GDPR 17(3)(b) and (e): the log must show what happened. It holds ids, codes and times, and an id names "
    "nobody once its account is empty."
)
# The database also prevents the deletion: a submitted version is never changed.
RULES_OF_ANSWERS: Final = (
    "Under GDPR 17(3)(b) and (e), as long as the log refers to the version: by what rules answers were given, who "
    "wrote them and who approved them is what the firm must be able to show."
)
SURROGATE: Final = "The id names nobody once the account is empty."
NOBODY_WRITES: Final = "It is empty: no role that runs anything may write here, or read it."
ENDS_WITH_PROCESS: Final = "In the memory of a process: gone when it ends, which the physical phase sees to."

OTHER_TENANTS: Final = (
    "While the person belongs to another tenant, or administers the platform: then it is not this tenant's."
)

# What something is.
WORDS_OF_POLICY: Final = (
    "Words of the policy, written by its authors; an example may be a question that somebody asked."
)

# Why a person's own data do not show something.
A_PROOF: Final = (
    "Passwords, keys and digests of them: they prove who somebody is. Handing them out would help nobody but a thief."
)
OWN_ACT: Final = (
    "Your name or id beside a step that you took in somebody else's matter. Each such step is among your acts."
)
OFFICERS: Final = (
    "Words of those who work on privacy or on how long what is kept. They may name others, or be kept from a person "
    "for good reasons of law: ask the data protection officer."
)
TARGETS: Final = (
    "What a removal is aimed at, which can be your account: the request for it stands in its chapter, where the law "
    "lets you see it."
)
MAILED: Final = (
    "Links that were mailed to you for a new password or a new address: they work for an hour, and go by themselves. "
    "That a new password was asked for, and that a link was used, stands among the events."
)
SECOND_FACTOR: Final = (
    "That you have an authenticator app or recovery codes: your page for signing in shows it, and setting them up, "
    "using and removing them stand among the events."
)
MOMENTARY: Final = "Answers and counts that live for a day at most, repeat what you were told, and go by themselves."
DIGESTS: Final = "Digests, which say nothing by themselves and can't be turned back."
NOT_USED: Final = "Tables that are empty: nothing writes there."
OPERATIONS: Final = "Files and lines of the programs, which hold what the tables hold, or ids, counts and codes."
CONTENT: Final = (
    "Documents of the firm, and what is made of them. They are about others, or about you as somebody who is named in "
    "them: for that, ask the data protection officer, who has them searched for you."
)
OF_THE_POLICY: Final = (
    "The words of the firm's policy. They are the firm's, whoever typed them; which versions are yours stands among "
    "the policy versions, and each can be read there."
)

# Why a search for a person does not read something.
KEY_OF_REQUEST: Final = (
    "What was said in a request of somebody, under a key of that request that is destroyed after its end."
)
