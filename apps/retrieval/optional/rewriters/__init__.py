"""Rewriters: a model writes further texts to search for. Only words are taken from them: see wordings.py.

Not measured: it needs a model that writes, which does not come with the product. `manage.py evaluate --ablate` adds a
line for each recipe if the tenant's generation profile names a model.
"""
