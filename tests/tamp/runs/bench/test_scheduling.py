"""Who runs what, and that nothing is lost when a worker dies."""

from __future__ import annotations

from tamp.runs.bench.scheduling import ATTEMPTS, Key, Schedule

KEYS = [Key("s", task, k) for task in range(3) for k in range(2)]


def test_a_worker_keeps_its_task_and_another_takes_another() -> None:
    schedule = Schedule.of(KEYS)
    assert (schedule.next(0), schedule.next(1)) == (Key("s", 0, 0), Key("s", 1, 0))
    schedule.finished(0)
    assert schedule.next(0) == Key("s", 0, 1)


def test_everything_is_given_out_once() -> None:
    schedule, given = Schedule.of(KEYS), []
    while (key := schedule.next(len(given) % 2)) is not None:
        schedule.finished(len(given) % 2)
        given.append(key)
    assert sorted(given) == KEYS and schedule.left() == []


def test_workers_share_the_last_task() -> None:
    schedule = Schedule.of(KEYS[:2])
    assert {schedule.next(0), schedule.next(1)} == set(KEYS[:2])


def test_the_episode_of_a_dead_worker_is_due_again() -> None:
    schedule = Schedule.of(KEYS)
    lost = schedule.next(0)
    assert schedule.died(0) is None
    assert lost in schedule.left() and schedule.running == {}


def test_an_episode_that_kills_every_worker_is_given_up() -> None:
    schedule = Schedule.of(KEYS[:1])
    for _ in range(ATTEMPTS - 1):
        schedule.next(0)
        assert schedule.died(0) is None
    schedule.next(0)
    assert schedule.died(0) == KEYS[0] and schedule.left() == []
