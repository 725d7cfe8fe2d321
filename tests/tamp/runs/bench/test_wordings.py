import re
from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.runs.bench.wordings import Wording, load

PARAPHRASES = Path(__file__).parents[4] / "problems" / "paraphrases"


def test_wordings_and_cases_in_the_files_order(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        '["libero_goal/8"]\nwordings = ["bowl on plate", "please put the bowl on the plate"]\n'
        '[[case]]\nscene = "libero_10/2"\ninstruction = "open the fridge"\nwhy = "absent"\n'
    )
    assert load(path) == (
        Wording("libero_goal", 8, "bowl on plate"),
        Wording("libero_goal", 8, "please put the bowl on the plate"),
        Wording("libero_10", 2, "open the fridge", "absent"),
    )


def test_no_wording_of_the_measured_part_may_be_looked_at() -> None:
    def shown(name: str) -> set[str]:
        return {" ".join(re.findall(r"\w+", w.text.lower())) for w in load(PARAPHRASES / f"{name}.toml")}

    assert shown("measured").isdisjoint(shown("develop") | shown("further"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no wording; valid: "),
        ("[libero_goal/8]\n", "not TOML: "),
        ('["libero_goal"]\nwordings = ["a"]\n', '"libero_goal" is no task; valid: SUITE/TASK_ID'),
        ('["libero_goal/8"]\nwordings = "a"\n', '"libero_goal/8" must have wordings ='),
        ('["libero_goal/8"]\nwordings = ["a"]\nother = 1\n', "and nothing else"),
        ('[[case]]\nscene = "libero_goal/8"\n', "a .*case.* must have scene, instruction and why"),
        ('case = "x"\n', "a .*case.* must have scene, instruction and why"),
    ],
)
def test_what_is_no_file_of_wordings(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        load(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.toml: No such file"):
        load(tmp_path / "none.toml")


def test_the_projects_own() -> None:
    """60 tasks in four wordings each, split once, no task in both parts; 40 instructions to refuse."""
    parts = [load(PARAPHRASES / f"{name}.toml") for name in ("develop", "measured")]
    tasks = [{(w.suite, w.task_id) for w in part} for part in parts]
    assert [len(t) for t in tasks] == [20, 40] and not tasks[0] & tasks[1]
    assert [len(part) for part in parts] == [80, 160]
    refused = load(PARAPHRASES / "refused.toml")
    assert len(refused) == 40 and {w.refuse for w in refused} == {"absent", "ambiguous"}
