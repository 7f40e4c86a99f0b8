"""The zoo: architectures of `transformers`, shrunk and randomly initialised, to check that observing changes no bit."""
