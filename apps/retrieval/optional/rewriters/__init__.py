"""What a model may write to be searched for besides the question. Words alone are taken of it: see wordings.py.

Not measured: it needs a model that writes, which does not come with the product. `manage.py evaluate --ablate` adds a
line for each recipe where the tenant's generation profile names one.
"""
