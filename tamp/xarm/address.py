"""Addresses of arms, and of detectors and hand controllers: `tcp://host:port`."""

from __future__ import annotations

import ipaddress
import re

CONTROL_PORT = 502
"""Of a controller; only emulated ones have another."""

_VALID = "valid: tcp://127.0.0.1:5556, an IPv4 address or localhost and a port"


def address_of(text: str) -> tuple[str, int]:
    """Host and port. ValueError for anything else: no name of a machine, since looking one up takes unbounded time."""
    found = re.fullmatch(r"tcp://([^:/]+):(\d{1,5})", text)
    if not found or not 0 < int(found[2]) < 65536:
        raise ValueError(f"no address; {_VALID}")
    host = "127.0.0.1" if found[1] == "localhost" else found[1]
    try:
        return str(ipaddress.IPv4Address(host)), int(found[2])
    except ValueError as e:
        raise ValueError(f"{found[1]!r} is no IPv4 address; {_VALID}") from e
