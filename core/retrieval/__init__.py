"""Finding the passages that fit a query, by words, by vectors, and by both."""
