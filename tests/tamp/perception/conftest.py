"""The object library of this machine, where it was built."""

from __future__ import annotations

import pytest

from tamp.errors import InputError
from tamp.perception.library import Library, load


@pytest.fixture(scope="session")
def library() -> Library:
    try:
        return load()
    except InputError as e:
        pytest.skip(str(e))
