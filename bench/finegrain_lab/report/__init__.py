"""The one page of all results: the answer, then the papers."""
