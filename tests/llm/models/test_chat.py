import pytest

from llm.models.chat import SHOWN, check_length, checked, conversation, quoted, turn
from llm.models.model import Prompt
from tamp.errors import InputError

PROMPT = Prompt("do", (("a", "b"),), "c", image=b"png")


def test_an_answer_that_has_begun_is_the_last_message():
    assert conversation(PROMPT, "")[-1]["role"] == "user"
    assert conversation(PROMPT, "the bowl is on the")[-1] == {"role": "assistant", "content": "the bowl is on the"}
    assert turn("") == {"continue_final_message": False, "add_generation_prompt": True}
    assert turn("x") == {"continue_final_message": True, "add_generation_prompt": False}


def test_a_chat_without_its_image():
    assert conversation(PROMPT.unseen(), "")[-1]["content"] == "c"
    assert PROMPT.unseen().examples == PROMPT.examples


def test_only_a_whole_match_will_do():
    assert checked("red.", "(red|blue)[.]", "it") == "red."
    for text in ("red", "red. ", "red.\n", "reddish.", ""):
        with pytest.raises(InputError, match="it replied outside the grammar: "):
            checked(text, "(red|blue)[.]", "it")


def test_a_long_reply_is_quoted_in_part():
    assert quoted("x" * 500) == repr("x" * SHOWN + "…")
    assert "\n" not in quoted("a\nb")


def test_too_long_says_how_long_and_how_long_may_be():
    check_length("qwen", 1792, 2048)
    with pytest.raises(InputError, match="take 2613 tokens; qwen reads 1792 and keeps 256"):
        check_length("qwen", 2613, 2048)
