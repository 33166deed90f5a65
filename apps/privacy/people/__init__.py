"""Finding a person in what a tenant holds, and taking passages out of a page's text. Nothing here is ever logged."""
