"""The numbers of an instruction to an arm: lengths, times and whole poses, each where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tamp.errors import Refusal

_LENGTHS = {"mm": 1.0, "millimetre": 1.0, "millimeter": 1.0, "cm": 10.0, "centimetre": 10.0, "centimeter": 10.0}
_LENGTHS |= {"m": 1000.0, "metre": 1000.0, "meter": 1000.0, "inch": 25.4, "inche": 25.4}
_TIMES = {"ms": 0.001, "millisecond": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0}
_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_ONES += " seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORTH = {w: n for n, w in enumerate(_ONES.split())} | {w: 20 + 10 * n for n, w in enumerate(_TENS.split())}
_WORTH |= {"a": 1, "an": 1, "hundred": 100}
SPELT = tuple(w for w in _WORTH if len(w) > 2)
"""Numbers that are written as words."""
_ORDINALS = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth"}

_UNITS = "|".join(sorted({f"{u}s?" for u in (*_LENGTHS, *_TIMES)}, key=len, reverse=True))
_SPELT = "|".join(sorted(_WORTH, key=len, reverse=True))
_WHICH_ONE = r"(?! (?:nearest|closest|most|surest|@))"
"""What follows `second` where it is no time."""
_SPELT_BEFORE_UNIT = re.compile(rf"\b((?:{_SPELT})(?: (?:{_SPELT}))*)(?= (?:and a half )?(?:{_UNITS})\b{_WHICH_ONE})")
_DIGITS = r"(?:minus |[-+])?(?:\d{1,3}(?:,\d{3})+(?= ?(?:mm|cm)\b)|\d+(?:\.\d+)?|\.\d+)"
_STRANGE_UNIT = rf"(?! ?(?:deg|percent|f[eo]et|(?:{_UNITS})/))"
_NUMBER = re.compile(
    rf"(?<![\w.@&/])({_DIGITS})(?![\w.]*\d)(?: ?({_UNITS})\b(?!/){_WHICH_ONE}|(?![\w%°/])){_STRANGE_UNIT}"
)
_SHARES = (
    ("three quarters of an?", "0.75 "),
    ("(?:a )?quarter(?: of)? an?", "0.25 "),
    ("half an?", "0.5 "),
    ("(?<!and )(?<!and a )(?:a )?half", "0.5 "),
)
_AXES = ("x", "y", "z", "roll", "pitch", "yaw")
_BETWEEN = r"(?:[\s,;:=()\[\]]|\b(?:x|y|z|xyz|rpy|roll|pitch|yaw|degrees?|deg|and|with)\b|°)"
_METRIC = r"(?:mm|cm|m|(?:milli|centi)?met(?:re|er)s?)"
_SIX = rf"{_BETWEEN}+".join([rf"(-?\d+(?:\.\d+)?)(?:[\s)\]]*({_METRIC})\b)?"] * 3 + [r"(-?\d+(?:\.\d+)?)"] * 3)
_POSE = re.compile(rf"(?<![\w.@&]){_BETWEEN}*{_SIX}(?![\w.]*\d)(?:\s*(?:degrees?|deg|°|\)|\]))*")


@dataclass(frozen=True)
class Number:
    """A number of an instruction. `unit`: mm, s, or nothing; `said`: as it stands there."""

    value: float
    unit: str
    said: str


@dataclass(frozen=True)
class Marked:
    """An instruction in which `#3 ` stands for the fourth number and `&0 ` for the first pose: mm and degrees."""

    text: str
    numbers: tuple[Number, ...]
    poses: tuple[tuple[float, ...], ...]


def marked(text: str) -> Marked:
    """Read the numbers of a text in lower case. Refusal for what has digits and is no number with a known unit."""
    text = re.sub(r"(?<=[a-z])-(?=[a-z])", " ", text.replace("−", "-"))
    text = re.sub(r"(?<=\d)-(?=[a-z])", " ", text)
    text = re.sub(r"\b[1-5](?:st|nd|rd|th)\b", lambda m: _ORDINALS.get(m[0], m[0]), text)
    poses: list[tuple[float, ...]] = []
    text = _POSE.sub(lambda m: _pose(m, poses), text)
    for words, share in _SHARES:
        text = re.sub(rf"\b{words} (?=(?:{_UNITS})\b)", share, text)
    text = _SPELT_BEFORE_UNIT.sub(lambda m: str(_worth(m[1])), text)
    text = re.sub(r"(?<![\w.])(\d+) and a half(?= )", r"\1.5", text)
    text = re.sub(rf"(?<![\w.])(\d+(?:\.\d+)?) ({_UNITS}) and a half\b", lambda m: f"{float(m[1]) + 0.5} {m[2]}", text)
    numbers: list[Number] = []
    text = _NUMBER.sub(lambda m: _number(m, numbers), text)
    if strange := re.search(r"(?<![#&@\d])[^\s#&@]*\d[^\s]*(?: \w+)?", re.sub(r"[#&@]\d+", "", text)):
        raise Refusal(f"{strange[0]!r} cannot be read; lengths are in mm, cm or m, times in s or min", "unclear")
    return Marked(text, tuple(numbers), tuple(poses))


def _pose(found: re.Match[str], poses: list[tuple[float, ...]]) -> str:
    axes = re.findall(r"\b(?:x|y|z|roll|pitch|yaw)\b", found[0])
    if axes != [a for a in _AXES if a in axes]:
        raise Refusal(f"{found[0].strip()!r}: the numbers of a pose are x y z roll pitch yaw, in this order", "unclear")
    *lengths, roll, pitch, yaw = found.groups()
    units = lengths[1::2]
    if not all(units) and any(units[:2]):
        raise Refusal(f"{found[0].strip()!r}: the lengths of a pose have one unit, or one each", "unclear")
    xyz = [_in_mm(n, unit or units[2] or "mm") for n, unit in zip(lengths[::2], units, strict=True)]
    poses.append((*xyz, float(roll), float(pitch), float(yaw)))
    return f" &{len(poses) - 1} "


def _in_mm(number: str, unit: str) -> float:
    # What a decimal fraction comes to in other units is not to end in a rounding error.
    return round(float(number) * _LENGTHS[unit if unit in _LENGTHS else unit.removesuffix("s")], 6)


def _number(found: re.Match[str], numbers: list[Number]) -> str:
    value = float(re.sub(r"minus ", "-", found[1]).replace(",", ""))
    unit = found[2] or ""
    name = unit if unit in _LENGTHS or unit in _TIMES else unit.removesuffix("s")
    scale, kind = (_LENGTHS[name], "mm") if name in _LENGTHS else (_TIMES.get(name, 1.0), "s" if name in _TIMES else "")
    # What a decimal fraction comes to in other units is not to end in a rounding error.
    numbers.append(Number(round(value * scale, 6), kind, found[0].strip()))
    return f"#{len(numbers) - 1} "


def _worth(words: str) -> int:
    """What spelt words come to: two hundred fifty -> 250."""
    total = 0
    for word in re.sub(r"^an? (?!hundred)", "", words).split():
        total = max(total, 1) * 100 if word == "hundred" else total + _WORTH[word]
    return total
