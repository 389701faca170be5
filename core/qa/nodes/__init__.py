"""One file a node, one function a file, one prompt with the same name."""
