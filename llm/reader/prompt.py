"""What a tuned model is shown: a setting, which is read once and kept, then what is being done and the words."""

from __future__ import annotations

from dataclasses import replace

from llm.model import Prompt
from llm.reader import program
from llm.reader.setting import Setting

TASK = "Write down what the person asks the robot for, in the form that you have learnt."

UNTAUGHT = f"Write down what the person asks the robot for. {program.__doc__}"
"""What a model is told that has not learnt the form."""


def setting_text(setting: Setting) -> str:
    """A setting without what is being done, which changes."""
    return f"{replace(setting, now='')}\n"


def question(now: str, words: str) -> str:
    """What follows a setting's text, up to the answer, in the chat's own marks."""
    doing = f"now: {now}\n" if now else ""
    return f"{doing}said: {words}<|im_end|>\n<|im_start|>assistant\n"


def prompt(setting: Setting, words: str, taught: bool = True) -> Prompt:
    """The chat that a model is asked with."""
    doing, begins = f"now: {setting.now}\n" if setting.now else "", setting_text(setting)
    return Prompt(TASK if taught else UNTAUGHT, (), f"{begins}{doing}said: {words}", begins=begins)
