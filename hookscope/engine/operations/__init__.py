"""Operations that are no modules: which there are, whose they are, and their capture."""
