"""Structured records: taken in as versions of documents, under the id that their source gives them."""
