"""From files on the disk to documents, chunks and vectors in the index."""
