"""Domains: what is read from them, and what is said when they cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.pddl.domain_file import load
from tamp.skills.builtin_specs import backend_of, check_table
from tamp.skills.registry import bind, skills

SHIPPED = sorted(p.parent.name for p in data_dir("domains").glob("*/skills.toml"))


def copy(folder: Path, old: str = "", new: str = "") -> Path:
    """The tabletop domain in `folder`, with one text replaced."""
    for name in ("domain.pddl", "skills.toml"):
        text = (data_dir("domains") / "tabletop" / name).read_text()
        (folder / name).write_text(text.replace(old, new, 1) if old else text)
    return folder


@pytest.mark.parametrize("name", SHIPPED)
def test_every_operator_of_a_shipped_domain_has_a_skill(name: str) -> None:
    domain = load(name)
    backend = backend_of(domain.skills.values())
    assert backend is not None
    if backend == "libero":
        assert bind(domain).keys() == domain.operators.keys()
    else:
        check_table(domain, backend)
    assert domain.operators.keys() == domain.skills.keys()


def test_an_operator_without_a_skill_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"operator 'pick' is bound to no skill; valid: .*place"):
        bind(load(str(copy(tmp_path, "pick         =", "pick-up      ="))))


def test_an_unknown_skill_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"skills\.toml: place-on = 'put'; valid: ") as shown:
        bind(load(str(copy(tmp_path, 'place-on     = "place"', 'place-on     = "put"'))))
    assert all(name in str(shown.value) for name in skills())


def test_a_broken_table_is_refused_with_its_place(tmp_path: Path) -> None:
    (copy(tmp_path) / "skills.toml").write_text('pick = "pick\n')
    with pytest.raises(InputError, match=r"skills\.toml: .*line 1"):
        load(str(tmp_path))
