"""The web fallback: what may leave the machine (`query.py`) and the one module that sends it (`search.py`)."""
