"""Search again for what the candidates of a question do not hold.

Measured with one round by words (`heal_rounds` 1): every figure equals the default's, on both sets.
"""
