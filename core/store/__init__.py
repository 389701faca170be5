"""Two SQLite files: what the person said and linked (`user.db`), and what can be made again from their files (`index.db`)."""
