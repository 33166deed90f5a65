"""The stages of a question. Each is a pure function with explicit inputs.

question <- ranking <- figures <- grounding: each package imports those before it, never those after it.
"""
