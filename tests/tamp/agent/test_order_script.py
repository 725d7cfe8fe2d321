"""Scripts: when what is given, and what is told of lines that are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tamp.agent.orders import Disturb, Entry, Script, Skip, Start, read_script
from tamp.errors import InputError
from tests.live_sessions import Live


def test_each_is_given_at_its_time_or_after_the_one_before(live: Live) -> None:
    moved: list[Disturb] = []
    script = Script(
        [
            Entry(None, Start("watch")),
            Entry(0.5, Start("hold")),
            Entry(None, Skip(1.0)),
            Entry(None, Disturb("box_1", np.array([0.1, 0.0, 0.0]))),
        ]
    )
    at: dict[int, float] = {}
    while not script.over:
        script.give(live.session, moved.append)
        live.run(0.05)
        at.setdefault(len(live.session.activities) + len(moved), live.session.time)
    assert at[1] < 0.2 and at[2] == pytest.approx(0.55, abs=0.06) and at[3] == pytest.approx(1.6, abs=0.11)
    assert moved[0].thing == "box_1"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON: '{' is not closed"),
        ("[]", "valid: an object"),
        ('{"at": 1}', "one of start, stop, skip, end, say, disturb is needed, not none"),
        ('{"stop": "", "say": "x"}', "is needed, not stop and say"),
        ('{"at": -1, "stop": ""}', "at is -1; valid: seconds from 0"),
        ('{"at": "soon", "stop": ""}', "at is soon; valid: seconds"),
        ('{"at": 1, "stop": "", "when": 2}', "unknown key 'when'; valid: at, start"),
        ('{"disturb": "mug"}', 'disturb takes {"thing": NAME, "by": [x, y, z]} in metres'),
        ('{"disturb": {"thing": "mug", "by": [1, 2]}}', "disturb takes"),
        ('{"skip": -2}', "-2 is nothing to skip"),
    ],
)
def test_a_line_that_is_wrong_is_named(line: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"end": true}\n\n' + line + "\n")
    with pytest.raises(InputError) as shown:
        read_script(path)
    assert str(shown.value).startswith(f"{path}:3:") and says in str(shown.value)
