"""Rules of the repository that no single module can keep alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tamp.pddl.domain_file import load

ROOT = Path(__file__).parents[1]
ROOMS = ("tamp", "motion", "llm", "cli")


def test_imports_point_one_way() -> None:
    """The rooms in layers, motion alone, llm never motion, perception no simulation (pyproject.toml)."""
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 kept, 0 broken" in done.stdout


def test_motion_has_never_heard_of_symbols_or_language() -> None:
    word = re.compile(r"pddl|predicate|unified_planning|instruction|llama|outlines", re.IGNORECASE)
    allowed = "PDDL or language"
    heard = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / "motion").rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if word.search(line.replace(allowed, ""))
    ]
    assert not heard, "\n".join(heard)


def test_only_skills_and_observers_know_the_tabletops_words() -> None:
    """What plans, checks and executes knows a skill by its `spec`, so that other skills and domains do as well.

    A search opens what is closed, and looks inside.
    """
    domain = load("tabletop")
    words = {*domain.predicates, *domain.operators, *domain.types} - {"object"}
    rooms = [path for room in ("planning", "pddl", "agent") for path in (ROOT / "tamp" / room).rglob("*.py")]
    rooms = [path for path in rooms if path.stem not in ("places", "searching")]
    known = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for path in sorted([*rooms, ROOT / "tamp/skills/registry.py", ROOT / "tamp/model/skill_spec.py"])
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in words
    ]
    assert not known, "\n".join(known)


def test_the_lock_holds_no_addresses_and_a_hash_for_every_package() -> None:
    lock = (ROOT / "lock" / "requirements.txt").read_text()
    assert "://" not in lock
    entries = re.split(r"\n(?=[a-z0-9])", lock.partition("make lock\n")[2])
    assert len(entries) > 100
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry or "==" not in entry] == []


def test_the_command_line_works_by_the_upper_rooms() -> None:
    """Of tamp it imports `tamp`, `tamp.api`, what prints and draws results (`runs`, `view`), the errors, what keeps
    third parties quiet and what replaces files; for types it may look further."""
    deeper = {path.stem: _deeper(path) for path in sorted((ROOT / "cli").glob("*.py"))}
    reached = {name: found for name, found in deeper.items() if found}
    assert not reached, f"take it from tamp, or from tamp/api, runs or view: {reached}"


def _deeper(path: Path) -> set[str]:
    """The modules behind the library that a module imports when it is run."""
    tree = ast.parse(path.read_text())
    guards = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.dump(n.test)]
    types = {id(n) for guard in guards for n in ast.walk(guard)}
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom) and id(n) not in types]
    names = {a.name for n in imports if isinstance(n, ast.Import) for a in n.names}
    names |= {str(n.module) for n in imports if isinstance(n, ast.ImportFrom)}
    ours = {name for name in names if name.split(".")[0] in ("tamp", "motion")}
    ours -= {"tamp", "tamp.errors", "tamp.quiet", "tamp.files.replacing"}
    return {name for name in ours if not name.startswith(("tamp.api", "tamp.runs", "tamp.view"))}


def test_a_file_is_replaced_by_one_function_alone() -> None:
    """Which keeps the file before where the disk is full (tamp/files/replacing.py)."""
    writes = re.compile(r"(?<!partial)\.write_(?:text|bytes)\(|(?<!partial\.)\bopen\([^)]*\"[wx]b?\"")
    temporary = {"motion/bullet.py", "tamp/backends/libero/environment.py", "tamp/pddl/fast_downward.py"}
    new = {"tamp/runs/episode_log.py", "tamp/api/bench_episodes.py"}  # in a folder in which nothing was
    others = {
        str(path.relative_to(ROOT))
        for path in (p for room in ROOMS for p in (ROOT / room).rglob("*.py"))
        for line in path.read_text().splitlines()
        if writes.search(line) and not re.search("devnull|real_fd", line)
    }
    assert others == temporary | new


def test_no_test_folder_is_a_package() -> None:
    """With an __init__.py, tests/llm would be imported as llm."""
    assert list((ROOT / "tests").rglob("__init__.py")) == []


def test_modules_stay_small() -> None:
    sizes = {p: len(p.read_text().splitlines()) for room in ROOMS for p in (ROOT / room).rglob("*.py")}
    assert {str(path.relative_to(ROOT)): size for path, size in sizes.items() if size > 400} == {}


def test_a_class_name_occurs_once_and_few_module_names_twice() -> None:
    classes, modules = Counter[str](), Counter[str]()
    for path in (p for room in ROOMS for p in (ROOT / room).rglob("*.py") if "templates" not in p.parts):
        if path.stem not in ("__init__", "__main__"):
            modules[path.stem] += 1
        nodes = ast.walk(ast.parse(path.read_text()))
        classes.update(n.name for n in nodes if isinstance(n, ast.ClassDef) and not n.name.startswith("_"))
    assert sorted(name for name, n in classes.items() if n > 1) == []
    assert len([name for name, n in modules.items() if n > 1]) <= 10


def test_no_path_of_a_machine_is_committed() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False).stdout
    texts = [ROOT / name for name in listed.decode().split("\0") if name.endswith((".py", ".md", ".toml", "run"))]
    homes = re.compile(r"(?<![\w.])/(?:home|Users|root|work)/[a-z]")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in texts
        if path.is_file() and path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if homes.search(line.replace("/home/someone", ""))
    ]
    assert found == []
