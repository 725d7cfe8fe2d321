"""`python -m cli` is `tamp`."""

from cli.main import main

main()
