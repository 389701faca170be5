"""The commands of the command line, one file each. A command is `run(invocation) -> exit code`."""
