"""The project's own evaluation folder: invented companies, funds and people, with the page of every answer known."""
