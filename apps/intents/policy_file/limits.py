"""The longest and largest of what a policy file may hold."""

from typing import Final

# What the tables hold (tests compare them with the models).
LONGEST_NAME: Final = 40
LONGEST_LABEL: Final = 80
LONGEST_TERM: Final = 80
LONGEST_EXAMPLE: Final = 500
LONGEST_DOCUMENT_EXAMPLE: Final = 200
MOST_CHARS: Final = 2**31 - 1
MOST_NEIGHBOURS: Final = 2**15 - 1
