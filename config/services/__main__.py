"""`python -m config.services SERVICE HOME DURABILITY`: the keeper, see keeper.py."""

import sys

from .keeper import main

sys.exit(main(sys.argv[1:]))
