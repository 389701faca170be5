"""The library as a person sees it: files, their state, progress."""
