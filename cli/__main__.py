"""`python -m cli` is `tamp`."""

from cli.main import main

if __name__ == "__main__":
    main()
