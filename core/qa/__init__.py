"""The question-answering graph: state, nodes, prompts, routes, and the session that runs it."""
