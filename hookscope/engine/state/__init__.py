"""The state of a model and its surroundings, and putting it back as it was."""
