"""The stages of a question, each one pure function with explicit inputs.

question <- ranking <- figures <- grounding: each imports those before it, never one behind.
"""
