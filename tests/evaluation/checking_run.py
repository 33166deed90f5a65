"""Measure the check of answers on the cases of checking/: of what is right, how much passes; of what is wrong, how much
is stopped; by class and style, with and without what a model says that it claims; and how long the check takes.

    python -m tests.evaluation.checking_run --set open
"""
