"""Operations that are no modules: what a module's own forward does, line by line, and which of it is captured.

`model` is the list as Qt wants it, `dock` shows the one of the current module.
"""
