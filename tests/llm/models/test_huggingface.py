"""transformers in process, with tiny models of random weights: one for text, and one that sees.

They know nothing, but everything around them is real: tokenizer, chat template, picture, expression, probability.
`make test-vllm` runs this where transformers is installed.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import imageio.v3 as imageio
import numpy as np
import pytest

from llm.models.language_model import Prompt, one_of
from llm.models.load import load
from llm.reader.goal_reader import ground
from tamp.errors import InputError, Refusal

pytest.importorskip("transformers")
pytest.importorskip("torch")

from llm.models.huggingface import Transformers

TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n{% if m['content'] is string %}{{ m['content'] }}{% else %}"
    "{% for part in m['content'] %}{% if part['type'] == 'image' %}<|image|>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|end|>\n{% endfor %}{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)
CONTEXT = 16384
ASKED = Prompt("Answer.", (("Who barks?", "the dog."),), "What is on the table?")
GRAMMAR = 'start: ("red" | "blue" | "green") " " ("mug" | "bowl" | "plate") "."'


def tokenizer():
    """A token for each byte, and those of the template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={c: n for n, c in enumerate(alphabet)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    special = ["<|start|>", "<|image|>"]
    made = PreTrainedTokenizerFast(tokenizer_object=bytewise, eos_token="<|end|>", additional_special_tokens=special)
    made.chat_template = TEMPLATE
    return made


def language():
    from transformers import Qwen2Config

    return Qwen2Config(
        vocab_size=320, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=CONTEXT, eos_token_id=tokenizer().eos_token_id,
        pad_token_id=tokenizer().eos_token_id,
    )  # fmt: skip


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    """A folder with a model for text."""
    import torch
    from transformers import Qwen2ForCausalLM

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("reads")
    Qwen2ForCausalLM(language()).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def sees(tmp_path_factory):
    """A folder with a model that sees: LLaVA's build, with 4 tokens for a picture of 32 by 32 pixels."""
    import torch
    from transformers import CLIPVisionConfig, LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    torch.manual_seed(0)
    eyes = CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=16
    )
    image = tokenizer().convert_tokens_to_ids("<|image|>")
    config = LlavaConfig(vision_config=eyes, text_config=language(), image_token_index=image)
    folder = tmp_path_factory.mktemp("sees")
    LlavaForConditionalGeneration(config).save_pretrained(folder)
    LlavaProcessor(
        image_processor=CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}),
        tokenizer=tokenizer(),
        patch_size=16,
        vision_feature_select_strategy="default",
        image_token="<|image|>",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)
    return folder


def png(value):
    return bytes(imageio.imwrite("<bytes>", np.full((32, 32, 3), value, np.uint8), extension=".png"))


def with_image(image):
    return Prompt(ASKED.system, ASKED.examples, ASKED.question, image=image)


def test_a_folder_runs_in_transformers(reads):
    model = load(str(reads))
    assert isinstance(model, Transformers)
    assert (model.name, model.sees) == (str(reads), False)


def test_the_reply_is_within_the_grammar(reads):
    model = Transformers(str(reads))
    reply = model.complete(ASKED, GRAMMAR)
    assert reply.text.endswith(".")
    assert 0.0 < reply.probability < 1.0
    assert model.complete(ASKED, GRAMMAR) == reply


def test_what_is_the_only_answer_is_certain(reads):
    assert Transformers(str(reads)).complete(ASKED, one_of(["purple elephants."])).probability == pytest.approx(1.0)


def test_a_prompt_that_is_too_long(reads):
    with pytest.raises(InputError, match=r"take 2\d{4} tokens; .* reads 16000 and keeps 384"):
        Transformers(str(reads)).complete(Prompt("", (), "x" * 20000), GRAMMAR)
    with pytest.raises(InputError, match="reads 44"):
        Transformers(str(reads), context=428).complete(ASKED, GRAMMAR)


def test_two_threads_get_their_own_answers(reads):
    model = Transformers(str(reads))
    grammars = [one_of(["red.", "blue."]), one_of(["mug.", "bowl."])] * 3
    barrier = threading.Barrier(2)

    def ask(grammar):
        barrier.wait(timeout=30)
        return model.complete(ASKED, grammar)

    alone = [model.complete(ASKED, g) for g in grammars]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(ask, grammars)) == alone


def test_an_instruction_stays_within_the_grammar(reads, kitchen, domain):
    """A model of random weights says nonsense, but it is a goal, or refused as no word bears it out."""
    try:
        goal = ground("open the middle drawer", *kitchen, domain, Transformers(str(reads)), assume_first=True).goal
    except Refusal:
        return
    assert goal.atoms


def test_the_picture_reaches_the_model(sees):
    model = Transformers(str(sees), sees=True)
    dark, bright, none = (model.complete(with_image(i), GRAMMAR) for i in (png(0), png(255), None))
    assert len({dark.probability, bright.probability, none.probability}) == 3
    assert model.complete(with_image(png(0)), GRAMMAR) == dark


def test_a_model_for_text_gets_no_picture(reads):
    model = Transformers(str(reads))
    assert model.complete(with_image(png(0)), GRAMMAR) == model.complete(ASKED, GRAMMAR)


@pytest.mark.parametrize("files", [{}, {"config.json": "{}"}, {"config.json": '{"model_type": "nonsense"}'}])
def test_a_folder_that_holds_no_model(tmp_path, files):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="transformers cannot load it: "):
        Transformers(str(tmp_path)).load()
