"""From a request to its end: what is missing, proposed, approved, carried out; or refused or withdrawn."""
