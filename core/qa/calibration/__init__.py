"""Finding a model's thresholds on labelled examples that come with the program."""
