"""The evaluation harness: documents and questions of a folder through the real pipeline, and what came of it.

    folder -> [tenant, scope and policy] -> [what is new is ingested, what left is removed]
           -> [each question in a transaction of its own: the pipeline, judged against what is known to be right]
           -> [variants: the same questions with one thing changed] -> the run, stored, printed and compared

metrics.py and figures.py are pure; observing.py reads what the trace tells; everything else is I/O around them.
"""
