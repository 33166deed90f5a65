"""Certificates of erasures.

manifest, statement    what is said of a run's end; the log holds it, in the event that ends the run
issuing                as glassbox_worker: the statement, signed, with its place in the log
document, checking     the certificate as a file, and whether one is what it claims to be
selectors              reading them
"""
