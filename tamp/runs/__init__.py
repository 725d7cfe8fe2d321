"""What runs leave behind: logs, benchmarks, cases."""
