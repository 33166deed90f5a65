"""Read a question that follows from earlier ones: what it leaves out, it takes from them. No model is asked.

Nothing here knows which companies are held: a name is read from its form alone, so that what becomes of a follow-up
tells nothing of documents that the asker may not reach.
"""
