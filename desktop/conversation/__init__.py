"""The conversation: its list, its transcript, the question box, and how each answer was made."""
