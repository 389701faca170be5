"""What Lamplight does, without a window and without weights: documents, stores, retrieval and the question graph."""
