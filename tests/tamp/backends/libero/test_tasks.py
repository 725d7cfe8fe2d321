"""Scenes by name: found, or a message that says what would have been."""

from __future__ import annotations

import pytest

from tamp.backends.libero import tasks
from tamp.errors import InputError


def test_a_task_of_a_suite_has_the_official_instruction_and_limit() -> None:
    task = tasks.find("libero_goal/3")
    assert task.instruction == "open the top drawer and put the bowl inside"
    assert (task.suite, task.task_id, task.step_limit) == ("libero_goal", 3, 300)
    states = tasks.initial_states(task)
    assert states.ndim == 2 and len(states) == 50


@pytest.mark.parametrize(
    ("name", "instruction"),
    [
        ("libero_goal_task/0", "open the bottom drawer of the cabinet"),  # the file: open_the_middle_drawer_...
        ("libero_10_task/0", "put both the cream cheese and the tomato sauce in the basket"),
    ],
)
def test_a_suite_made_of_another_has_the_instruction_of_its_file(name: str, instruction: str) -> None:
    assert tasks.find(name).instruction.lower() == instruction


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("mug_in_draw", "unknown scene 'mug_in_draw'; did you mean 'mug_in_drawer'"),
        ("libero_gaol/3", "unknown suite 'libero_gaol'; nearest: .*libero_goal"),
        ("libero_goal/10", "no task '10' in libero_goal; valid: libero_goal/0 to libero_goal/9"),
        ("libero_goal/-1", "no task '-1' in libero_goal"),
        ("libero_goal/x", "no task 'x' in libero_goal"),
        ("nowhere/scene.bddl", "no such BDDL file: nowhere/scene.bddl"),
        ("libero_goal_object_ood/0", "the installed LIBERO lacks its BDDL file"),
        ("", "unknown scene ''"),
    ],
)
def test_a_name_that_means_nothing_says_what_would(name: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        tasks.find(name)


def test_a_drawn_scene_has_no_stored_states() -> None:
    with pytest.raises(InputError, match="no stored initial states: draw one with --seed"):
        tasks.initial_states(tasks.find("mug_in_drawer"))
