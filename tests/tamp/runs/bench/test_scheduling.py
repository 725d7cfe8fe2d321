"""Who runs what, and that nothing is lost when a worker dies."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Future
from typing import Any, ClassVar

import pytest

from tamp.runs.bench.scheduling import ATTEMPTS, Key, next_key, run_all

KEYS = [Key("s", task, k) for task in range(3) for k in range(2)]


def test_a_worker_keeps_its_task_another_takes_another_and_they_share_the_last() -> None:
    due = [*KEYS]
    first = next_key(due, None, [None, None])
    second = next_key(due, None, [first, None])
    assert (first, second) == (Key("s", 0, 0), Key("s", 1, 0))
    assert next_key(due, first, [first, second]) == Key("s", 0, 1)
    assert next_key(due, first, [first, second]) == Key("s", 2, 0)
    assert next_key([Key("s", 1, 1)], first, [first, second]) == Key("s", 1, 1)


class Dying:
    """A worker that dies of the episodes that it has to, as often as they say."""

    deaths: ClassVar[dict[Key, int]] = {}
    started = 0

    def __init__(self) -> None:
        Dying.started += 1

    def submit(self, key: Key) -> Future[Any]:
        answer = Future[Any]()
        if Dying.deaths.get(key, 0) > 0:
            Dying.deaths[key] -= 1
            answer.set_exception(BrokenExecutor("killed"))
        else:
            answer.set_result({"key": key})
        return answer

    def is_ready(self) -> bool:
        return True

    def end(self) -> None:
        pass


def given_up(key: Key) -> dict[str, Any]:
    return {"key": key, "given_up": True}


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_the_episode_of_a_dead_worker_is_run_again_and_given_up_in_the_end(workers: int) -> None:
    Dying.deaths, Dying.started = {KEYS[1]: 1, KEYS[4]: ATTEMPTS}, 0
    records = list(run_all(KEYS, workers, Dying, given_up))
    assert sorted(r["key"] for r in records) == KEYS
    assert [r["key"] for r in records if "given_up" in r] == [KEYS[4]]
    assert Dying.started <= min(workers, len(KEYS)) + 1 + ATTEMPTS
