import pytest

from llm.reader.program_reader import confidence, instruction, prompt, question, setting_text
from llm.reader.sentences import split
from llm.reader.setting import read_setting
from tamp.errors import InputError


def test_what_word_processors_make_of_an_instruction():
    assert instruction(" put the\u2019bowl\u2019\n on \u201cit\u201d \u2013 now ") == "put the'bowl' on \"it\" - now"
    with pytest.raises(InputError, match="empty"):
        instruction(" \n")


def test_words_are_alike_in_singular_and_plural():
    assert split("The Bowls, a glass; 2 cups!") == ["the", "bowl", "a", "glass", "2", "cup"]


def test_what_is_likelier_is_surer():
    sure = [confidence(p / 100) for p in range(101)]
    assert sure == sorted(sure) and sure[20] < 0.5 < sure[60] and 0.9 < sure[99] < 1.0


@pytest.mark.parametrize("now", ["", "\nnow: open(box)"])
def test_a_model_is_asked_with_the_text_that_it_was_taught_with(now):
    setting = read_setting(f"boxes [item]: box\ncan be: open(item){now}")
    assert prompt(setting, "shut it").question == setting_text(setting) + question(setting.now, "shut it")
