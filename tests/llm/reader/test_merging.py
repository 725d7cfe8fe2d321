"""Remarks in mid-work: the work as it is afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llm.reader.expanding import doing, expanded, merged
from llm.reader.program import read_program
from llm.reader.setting import read_setting

ROOM = read_setting("""
cups [item]: blue cup (on table), red cup (on table), green cup (on shelf)
places [surface]: table, shelf, tray
doors [door]: door (closed)
can be: on(item, surface), open(door), closed(door)
can do: wave(), wait(; seconds)
""")

AFTERWARDS = {
    ("on(red cup, shelf)", "drop on(red cup, shelf)\non(blue cup, shelf)"): "on(blue cup, shelf)",
    ("on(all cups, tray)", "drop on(green cup, tray)"): "on(blue cup, tray)\non(red cup, tray)",
    ("on(red cup, shelf)", "first\nopen(door)"): "open(door)\nthen\non(red cup, shelf)",
    ("on(red cup, shelf)", "then\nclosed(door)"): "on(red cup, shelf)\nthen\nclosed(door)",
    ("open(door) / then / on(red cup, shelf)", "on(blue cup, shelf)"): "open(door)\nthen\non(all cups on table, shelf)",
    ("on(red cup, shelf) / on(blue cup, tray)", "back(red cup)"): "on(blue cup, tray)\nback(red cup)",
    ("on(red cup, shelf)", "drop all\nopen(door)"): "open(door)",
    ("on(red cup, shelf)", "nothing"): "on(red cup, shelf)",
    ("on(red cup, shelf)", 'on("saucer", shelf)'): "on(red cup, shelf)",
    ("wave() / wait(; seconds 3)", "drop wait(; seconds 3)\nwait(; seconds 5)"): "wave()\nwait(; seconds 5)",
    ("on(red cup, shelf)", "stop"): "stop",
}


@pytest.mark.parametrize(("now", "remark"), AFTERWARDS)
def test_the_work_after_a_remark(now: str, remark: str) -> None:
    after = merged(doing(replace(ROOM, now=now)), expanded(read_program(remark, ROOM)))
    assert after.same(expanded(read_program(AFTERWARDS[now, remark], ROOM)))
