"""Places beside things against the regions that LIBERO's goals name: what is put there is where LIBERO looks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import beside_things, goal_regions, in_the_tasks_words, task_goal
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.pddl.domain_file import load
from tamp.runs.episode import Settings
from tests.places import in_libero as run

pytestmark = pytest.mark.episode


@pytest.mark.parametrize(
    ("task", "right", "wrong"),
    [
        ("libero_goal/5", "(in-front-of plate_1 flat_stove_1)", "(left-of plate_1 flat_stove_1)"),
        (
            "libero_90/84",
            "(right-of red_coffee_mug_1 desk_caddy_1)",
            "(right-of red_coffee_mug_1 porcelain_mug_1)",
        ),
    ],
)
def test_beside_a_thing_is_where_the_task_means(task: str, right: str, wrong: str) -> None:
    environment = LiberoEnvironment(tasks.find(task), seed=0, init_state=0, render=False)
    try:
        scene = OraclePerceiver(environment, goal_regions(environment)).perceive()
        own = task_goal(environment, scene)
        meant, said = (Goal(Atom(name, tuple(args))) for name, *args in (t.strip("()").split() for t in (right, wrong)))
        assert in_the_tasks_words(meant, own, scene) == own
        there = beside_things(own, scene)
        assert there != own and in_the_tasks_words(there, own, scene) == own, "for eyes that see no such region"
        assert in_the_tasks_words(said, own, scene) == said
    finally:
        environment.close()


def test_on_top_of_a_thing_is_on_no_side_of_another() -> None:
    """Even where the best place in front of the other one is over it."""
    environment = LiberoEnvironment(tasks.find("libero_goal/4"), seed=0, init_state=0, render=False)
    try:
        scene = OraclePerceiver(environment, goal_regions(environment)).perceive()
        own = task_goal(environment, scene)
        in_front = Goal(Atom("in-front-of", ("akita_black_bowl_1", "wine_rack_1")))
        assert beside_things(own, scene) == own
        assert in_the_tasks_words(in_front, own, scene) == in_front
    finally:
        environment.close()


def test_what_is_put_beside_a_thing_is_a_success_by_liberos_check(tmp_path: Path) -> None:
    """The goal relates it to the plate; LIBERO looks into its own rectangle."""
    task, wanted = tasks.find("libero_90/69"), Goal(Atom("left-of", ("chocolate_pudding_1", "plate_1")))
    settings = Settings(load("tabletop"), init_state=0)
    result = run(task, lambda *_: (wanted,), settings, tmp_path / "out", lambda line: None)
    assert result.success and result.lasting and result.stage is None
    assert result.plan[-1].startswith("(place-on chocolate_pudding_1")
