"""Robots and simulators; all quirks stay behind them."""
