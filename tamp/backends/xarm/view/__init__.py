"""An arm that is looked at: its reports, and a page that shows them in its world (docs/xarm.md)."""
