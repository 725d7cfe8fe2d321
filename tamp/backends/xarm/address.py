"""Addresses of arms, and of detectors and hand controllers: `tcp://host:port`."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

CONTROL_PORT = 502
"""Of a controller; only emulated ones have another."""

VALID_HOST = 'an IPv4 address as "192.168.1.203", or "localhost"'
_VALID = "valid: tcp://127.0.0.1:5556, an IPv4 address or localhost and a port"


def host_of(text: str) -> str:
    """The address of a machine. ValueError for its name: to look one up takes unbounded time, but for localhost."""
    try:
        return str(ipaddress.IPv4Address("127.0.0.1" if text == "localhost" else text))
    except ValueError as e:
        raise ValueError(f"{text!r} is no IPv4 address; valid: {VALID_HOST}") from e


def address_of(text: str) -> tuple[str, int]:
    """Host and port. ValueError for anything else."""
    found = re.fullmatch(r"tcp://([^:/]+):(\d{1,5})", text)
    if not found or not 0 < int(found[2]) < 65536:
        raise ValueError(f"no address; {_VALID}")
    try:
        return host_of(found[1]), int(found[2])
    except ValueError as e:
        raise ValueError(f"{found[1]!r} is no IPv4 address; {_VALID}") from e


@dataclass(frozen=True)
class ArmAddress:
    """Where an arm is, and where its emulator says what is around it."""

    host: str
    port: int
    eyes: tuple[str, int]
