"""`python -m hookscope` is the command `hookscope`."""

from hookscope.cli import main

if __name__ == "__main__":
    main()
