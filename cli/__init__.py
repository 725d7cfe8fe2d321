"""The `tamp` command: arguments to pipeline to exit code."""
