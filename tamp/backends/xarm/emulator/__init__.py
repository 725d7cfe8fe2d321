"""An emulated UFACTORY controller: a separate process that speaks its protocol (docs/xarm.md)."""
