"""The evaluation harness: runs a folder's documents and questions through the real pipeline, and measures the results.

    folder -> [tenant, scope and policy] -> [new documents are ingested, those that left are removed]
           -> [each question in a transaction of its own: the pipeline, judged against the known right answer]
           -> [variants: the same questions with one thing changed] -> the run, stored, printed and compared

metrics.py, figures.py, judging.py and accepting.py are pure; observing.py reads the trace; the rest is I/O around them.
checking.py stands apart: it measures the check of answers alone, on replies that are known to be right or wrong.
"""
