"""The other ways to capture gradients (native, alias, legacy), and the trial whether a module can stand them."""
