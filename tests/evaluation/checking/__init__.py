"""Answers of models, right and wrong, by which the check of answers is measured.

`material` is written by hand: companies with their tables and paragraphs, and sentence forms. `build` says true
statements about the companies in these forms (`wanted`, `sums`, `voice`, `right`), and changes one thing of each to
make it false (`wrong_figures`, `wrong_words`). `load` reads the cases. Nothing here knows how the check works.
"""
