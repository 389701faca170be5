"""Model runtimes behind core's protocols: llama.cpp, sentence-transformers, and how their weights are installed."""
