"""The runtimes themselves. Files that import llama_cpp or torch run in child processes only."""
