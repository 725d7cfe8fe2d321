"""transformers in process, with tiny models of random weights: one for text, and one that sees.

They know nothing, but everything around them is real: tokenizer, chat template, picture, expression, probability.
`make test-vllm` runs this where transformers is installed.
"""

import imageio.v3 as imageio
import numpy as np
import pytest

from llm.models.language_model import Prompt
from llm.models.load import load
from tamp.errors import InputError

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


def test_the_reply_is_within_the_grammar(reads):
    model = load(str(reads))
    assert isinstance(model, Transformers) and (model.name, model.sees) == (str(reads), False)
    reply = model.complete(with_image(png(0)), GRAMMAR)
    assert reply.text.endswith(".")
    assert 0.0 < reply.probability < 1.0
    assert model.complete(ASKED, GRAMMAR) == reply


def test_a_prompt_that_is_too_long(reads):
    with pytest.raises(InputError, match=r"take 2\d{4} tokens; .* reads 16000 and keeps 384"):
        Transformers(str(reads)).complete(Prompt("", (), "x" * 20000), GRAMMAR)
    with pytest.raises(InputError, match="reads 44"):
        Transformers(str(reads), context=428).complete(ASKED, GRAMMAR)


def test_the_picture_reaches_the_model(sees):
    model = Transformers(str(sees), sees=True)
    dark, bright, none = (model.complete(with_image(i), GRAMMAR) for i in (png(0), png(255), None))
    assert len({dark.probability, bright.probability, none.probability}) == 3
    assert model.complete(with_image(png(0)), GRAMMAR) == dark


def test_a_folder_that_holds_no_model(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "nonsense"}')
    with pytest.raises(InputError, match="transformers cannot load it: "):
        Transformers(str(tmp_path)).load()
