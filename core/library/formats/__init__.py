"""Documents that are not plain text, taken apart in the reader's child process. Nothing here is imported by the app itself."""
