"""Certificates of erasures.

manifest, statement    what is said of a run's end; the log holds it, in the event that ends the run
restored, after_restore    what is said of a restore that may have undone erasures, and that in words
still_standing         names that could not be looked for
issuing                as glassbox_worker: the statement, signed, with its place in the log
document, checking     the certificate as a file, and whether one is what it claims to be
selectors              reading them
"""
