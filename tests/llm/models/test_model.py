"""With the real weights: instructions to goals in hand-built scenes, and in LIBERO's own."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from llm.models.llama import LlamaCpp
from llm.models.model import Prompt
from llm.models.weights import DEFAULT, find
from llm.reader.grounding import ground
from llm.tuning import adapter as shipped
from tamp.errors import InputError, Refusal

pytestmark = pytest.mark.model

TOP = "wooden_cabinet_1_top_region"


@pytest.fixture(scope="module")
def model():
    return LlamaCpp(DEFAULT, find(DEFAULT), adapter=shipped(find(DEFAULT))).load()


@pytest.fixture
def mug_and_drawer(builders):
    scene = builders["scene"](builders["item"]("porcelain_mug_1", "porcelain_mug", 0.1, 0.1), builders["cabinet"]())
    shut = [f"(closed wooden_cabinet_1_{q}_region)" for q in ("top", "middle", "bottom")]
    return scene, builders["state"](scene, *shut)


def test_the_reply_follows_the_pattern(model):
    reply = model.complete(Prompt("Answer.", (), "What colour is grass?"), "", "(red|blue)[.]")
    assert reply.text in ("red.", "blue.")
    assert 0.0 < reply.probability <= 1.0


def test_the_same_question_has_the_same_answer(model):
    prompt = Prompt("Answer.", (), "Name an animal.")
    first = model.complete(prompt, "", "[a-z]{3,9}[.]")
    model.complete(Prompt("Answer.", (), "Name a plant."), "", "[a-z]{3,9}[.]")
    assert model.complete(prompt, "", "[a-z]{3,9}[.]").text == first.text


def test_what_prompts_begin_with_is_kept_between_processes(tmp_path, monkeypatch):
    """A second process reads it, a third finds the file spoilt; all answer alike."""
    monkeypatch.setattr("llm.models.llama.models_dir", lambda: tmp_path)
    prompt = Prompt("Answer in one word.", (("Which fruit is yellow?", "banana."),), "Which animal barks?")

    def answer():
        return LlamaCpp(DEFAULT, find(DEFAULT)).complete(prompt, "", "[a-z]{3,9}[.]")

    first = answer()
    (kept,) = (tmp_path / "prompts").iterdir()
    whole = kept.read_bytes()
    assert answer() == first
    assert kept.read_bytes() == whole
    kept.write_bytes(b"spoilt")
    assert answer() == first
    assert kept.stat().st_size == len(whole)


@pytest.mark.thorough
def test_two_instructions_at_once(model, kitchen, mug_and_drawer, domain):
    """Two threads and one model, scenes and instructions in turns: each gets the answer it gets alone."""
    shown = "wooden_cabinet_1_middle_region"
    jobs = {
        "switch on the stove": (kitchen, "(turned-on flat_stove_1)"),
        "please place the white cup inside the top drawer": (mug_and_drawer, f"(in porcelain_mug_1 {TOP})"),
        "pull the middle drawer open": (kitchen, f"(open {shown})"),
        "open the middle drawer": (mug_and_drawer, f"(open {shown})"),
    }
    start = threading.Barrier(2)

    def ask(text):
        start.wait(timeout=60)
        return str(ground(text, *jobs[text][0], domain, model).goal)

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(ask, jobs)) == [goal for _, goal in jobs.values()]


def test_two_threads_load_one_model_once():
    shared = LlamaCpp(DEFAULT, find(DEFAULT))
    with ThreadPoolExecutor(2) as pool:
        asked = [Prompt("Answer.", (), "What colour is grass?")] * 2
        first, second = pool.map(lambda prompt: shared.complete(prompt, "", "(red|green)[.]"), asked)
    assert first.text == second.text


def test_a_prompt_that_is_too_long():
    small = LlamaCpp(DEFAULT, find(DEFAULT), context=512)
    with pytest.raises(InputError, match=r"take \d{3,4} tokens; qwen2.5-coder-1.5b reads 256 and keeps 256"):
        small.complete(Prompt("Answer.", (), "word " * 300), "", "yes")


def test_a_picture_is_left_out(model):
    seen = Prompt("Answer.", (), "What colour is grass?", image=b"png")
    assert not model.sees
    assert model.complete(seen, "", "(red|green)[.]").text == model.complete(seen.unseen(), "", "(red|green)[.]").text


STOVE, BOWL, TOP_SIDE = "flat_stove_1_cook_region", "akita_black_bowl_1", "wooden_cabinet_1_top_side"
SAID = {
    "set the wine bottle down on top of the cabinet": f"(on wine_bottle_1 {TOP_SIDE})",
    "pull the middle drawer open": "(open wooden_cabinet_1_middle_region)",
    "put the bowl on the plate rather than on the stove": f"(on {BOWL} plate_1)",
    "fire up the stove once the bowl is on it": f"(and (on {BOWL} {STOVE}) (turned-on flat_stove_1))",
    "anything but the plate may go on the stove, so the bowl please": f"(on {BOWL} {STOVE})",
}


@pytest.mark.parametrize("text", SAID)
def test_a_goal(model, kitchen, domain, text):
    assert str(ground(text, *kitchen, domain, model).goal) == SAID[text]


def test_the_scenes_own_name_for_a_drawer(model, mug_and_drawer, domain):
    text, goal = "put the mug in the drawer and close it", f"(and (in porcelain_mug_1 {TOP}) (closed {TOP}))"
    assert str(ground(text, *mug_and_drawer, domain, model, names={"drawer": TOP}).goal) == goal


def test_bowls_told_apart(model, two_bowls, domain):
    text = "the bowl that is between the ramekin and the plate goes on the plate"
    assert str(ground(text, *two_bowls, domain, model).goal) == "(on akita_black_bowl_1 plate_1)"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("put the bowl on the plate", ("ambiguous",)),
        ("put the banana on the plate", ("absent",)),
        ("how are you today?", ("nothing",)),
        (
            "put a bowl on the plate " + "and then wait for the bus " * 150,
            ("unsure", "no goal", "unclear", "ambiguous"),
        ),
    ],
)
def test_what_is_no_goal(model, two_bowls, domain, text, kind):
    with pytest.raises(Refusal) as told:
        ground(text, *two_bowls, domain, model)
    assert told.value.kind in kind


def test_the_next_likeliest_answer(model):
    prompt, pattern = Prompt("Answer.", (), "Name a colour of grass."), "(green|brown|yellow)[.]"
    first = model.complete(prompt, "", pattern)
    assert first.other is not None
    other = first.other()
    assert other.text != first.text and 0.0 < other.probability <= first.probability
    assert model.complete(prompt, "", pattern).text == first.text


def test_an_adapter_that_is_none_of_the_models(tmp_path):
    (tmp_path / "half.gguf").write_bytes(shipped(find(DEFAULT)).read_bytes()[:1_000_000])
    for path in (tmp_path / "half.gguf", find(DEFAULT), tmp_path / "none.gguf"):
        with pytest.raises(InputError, match="not an adapter that"):
            LlamaCpp(DEFAULT, find(DEFAULT), adapter=path).load()


@pytest.mark.parametrize(
    ("task", "goals"),
    [
        pytest.param("libero_spatial/0", ["(on akita_black_bowl_1 plate_1)"], marks=pytest.mark.thorough),
        pytest.param("libero_object/0", ["(in alphabet_soup_1 basket_1_contain_region)"], marks=pytest.mark.thorough),
        pytest.param(
            "libero_goal/3",
            [f"(and (open {TOP}) (in akita_black_bowl_1 {TOP}))", f"(in akita_black_bowl_1 {TOP})"],
            marks=pytest.mark.thorough,
        ),
        ("libero_goal/7", ["(turned-on flat_stove_1)"]),
        pytest.param(
            "libero_10/3",
            ["(and (in akita_black_bowl_1 white_cabinet_1_bottom_region) (closed white_cabinet_1_bottom_region))"],
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_official_instructions(model, domain, task, goals):
    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.libero.oracle import OraclePerceiver
    from tamp.backends.libero.tasks import find as find_task
    from tamp.model.bodies import world_of
    from tamp.perception.predicates import observe

    found = find_task(task)
    environment = LiberoEnvironment(found, init_state=0)
    scene = OraclePerceiver(environment).perceive()
    state = observe(scene, world_of(scene, environment.robot_model()))
    environment.close()
    assert str(ground(found.instruction, scene, state, domain, model).goal) in goals
