"""The classifier's desk, without its pages: what each golden example gets when it is left out, and what an example more
or less would change. Pure: a snapshot and vectors in, values out.
"""

from apps.intents.desk.confusion import ConfusionRow, MatrixCell, confusion_rows
from apps.intents.desk.examination import Examination, ExampleOutcome, Neighbour, cannot_classify, examine
from apps.intents.desk.what_if import ChangedOutcome, changed_outcomes, without_example

__all__ = [
    "ChangedOutcome",
    "ConfusionRow",
    "Examination",
    "ExampleOutcome",
    "MatrixCell",
    "Neighbour",
    "cannot_classify",
    "changed_outcomes",
    "confusion_rows",
    "examine",
    "without_example",
]
