"""The two front ends, window and command line, over one core."""
