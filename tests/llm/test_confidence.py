from llm.confidence import confidence


def test_it_rises_with_the_models_probability_and_falls_with_each_guess() -> None:
    values = [confidence(p, 0) for p in (0.0, 0.05, 0.2, 0.5, 1.0)]
    assert values == sorted(values) and 0.0 < values[0] < 0.5 < values[-1] < 1.0
    assert confidence(0.5, 1) < confidence(0.5, 0)
