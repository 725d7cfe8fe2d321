import pytest

from llm.confidence import as_wanted, confidence, confidence_in_meaning


def test_it_rises_with_the_models_probability_and_falls_with_what_speaks_against_an_answer():
    values = [confidence(p, 1, 0) for p in (0.0, 0.05, 0.2, 0.5, 1.0)]
    assert values == sorted(values) and 0.0 < values[0] < 0.5 < 0.95 < values[-1] < 1.0
    assert confidence(0.5, 2, 1) < confidence(0.5, 2, 0) < confidence(0.5, 1, 0)
    assert confidence(0.5, 3, 0) == pytest.approx(confidence(0.5, 2, 0))


def test_it_falls_with_words_that_were_guessed_and_with_words_of_logic():
    plain = confidence_in_meaning(0.5, 0, involved=False)
    assert confidence_in_meaning(0.5, 1, involved=False) < plain
    assert confidence_in_meaning(0.5, 0, involved=True) < plain


def test_what_is_hardly_asked_for_is_not_sure() -> None:
    assert as_wanted(0.97, 0.9) == 0.97
    assert as_wanted(0.97, 0.7) < 0.8
    assert as_wanted(0.5, 0.7) == 0.5
