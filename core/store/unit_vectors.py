"""Vectors as they are stored: of length 1, so that distances are cosines."""

from __future__ import annotations

import numpy as np

from core.errors import ModelUnusable
from core.protocols import Vectors


def unit(vector: Vectors) -> bytes:
    """A vector with length 1, as float32 bytes. Raises `ModelUnusable` for one that is not finite or has no length."""
    return unit_rows(vector.reshape(1, -1), 1).tobytes()


def unit_rows(vectors: Vectors, rows: int) -> Vectors:
    """Rows of length 1. sqlite-vec takes NaN and zero vectors without a word and then ranks them first, so they end here."""
    if vectors.ndim != 2 or vectors.shape[0] != rows:
        raise ModelUnusable(f"The embedding model returned vectors of shape {vectors.shape}, {rows} rows were expected.")
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-6).any():
        raise ModelUnusable("The embedding model returned a vector that is not a number or has no length.")
    return np.ascontiguousarray(vectors / lengths, dtype=np.float32)
