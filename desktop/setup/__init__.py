"""Set-up by one command: the standard library only, because nothing else is installed yet."""
