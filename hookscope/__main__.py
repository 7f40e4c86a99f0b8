"""`python -m hookscope` is the command `hookscope`."""

import sys

from hookscope.cli import main

if __name__ == "__main__":
    sys.exit(main())
