"""Trials: the newest step once more, with and without interventions, and what differs between two steps."""
