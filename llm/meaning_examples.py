"""Worked examples for the question after an instruction's meaning: invented, and far from any benchmark's wording.

A test compares them with LIBERO's instructions.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """What there is, the words that can be said of it, an instruction, and its meaning."""

    here: str
    words: str
    instruction: str
    meaning: str


_RED = Example(
    "red candle, white candle, left green candle, right green candle, piano",
    "on, in, open, closed",
    "all the candles but the red one go on the piano",
    "[all candles except the red one] are on [the piano].",
)
_LAMP = Example(
    "lamp, crate, shelf, vase",
    "on, in, open, closed",
    "put the lamp in the crate or on the shelf, whichever is easier, but leave the vase alone",
    "[the lamp] is in [the crate] or on [the shelf]; [the vase] is untouched.",
)
_WINDOW = Example(
    "window, curtain",
    "open, closed, turned on",
    "if it rains tomorrow, shut the window",
    "unclear.",
)
_PHONE = Example("phone, bed", "on, in, open", "my sister said to put the phone on the bed", "unclear.")
_KITE = Example(
    "kite, rake, spade, shed",
    "on, in, held",
    "everything except the rake belongs in the shed",
    "[everything except the rake] is in [the shed].",
)

PLAIN: tuple[Example, ...] = (
    Example(
        "doll at the corner of the sofa, sofa, toy chest, lid, lamp",
        "in, on, open, closed",
        "grab the doll from sofa corner and drop it into the toy chest",
        "[the doll from sofa corner] is in [the toy chest].",
    ),
    Example(
        "stool, fireplace, rug",
        "on, in, to the left of, to the front of",
        "could you slide the stool to the front of the fireplace, please?",
        "[the stool] is to the front of [the fireplace].",
    ),
    Example(
        "hat, bench, peg",
        "on, in, held",
        "don't leave the hat on the bench",
        "[the hat] is not on [the bench].",
    ),
    Example(
        "scarf, left locker, right locker, bench",
        "on, in, open, closed, turned on, turned off",
        "lay the scarf in the left locker, then shut it",
        "[the scarf] is in [the left locker]; then [the left locker] is closed.",
    ),
    Example(
        "glove on the stool, glove on the shelf, stool, shelf, crate",
        "on, in, held",
        "pick up the glove on the stool and place it in the crate",
        "[the glove on the stool] is in [the crate].",
    ),
    _RED,
    Example(
        "heater, kettle, cup",
        "on, open, closed, turned on, turned off",
        "switch on the heater and set the kettle of tea on it",
        "[the heater] is turned on; [the kettle of tea] is on [the heater].",
    ),
    _LAMP,
    _WINDOW,
    Example(
        "suitcase, blue towel, grey towel, bed",
        "on, in, open, closed",
        "open the suitcase, pack both towels inside. Afterwards close it again",
        "[the suitcase] is open; then [both towels] are in [the suitcase]; then [the suitcase] is closed.",
    ),
    Example("lantern, hook", "on, in, held", "lift the lantern", "[the lantern] is held."),
    Example(
        "tall fern, small fern, rose bed, pot",
        "watered, planted in, ripe",
        "Make sure every fern gets some water; not the roses though",
        "[every fern] is watered; [the roses] are not watered.",
    ),
    _PHONE,
    Example(
        "cup on the sink, cup between the sink and the door, sink, door, tray",
        "on, in, open",
        "what stands between door and sink, the cup, must go to the tray",
        "[the cup between door and sink] is on [the tray].",
    ),
    Example(
        "clock, radiator, shelf",
        "on, in, open, closed",
        "Stand the clock anywhere except on the radiator.",
        "[the clock] is not on [the radiator].",
    ),
    _KITE,
    Example(
        "left boot, right boot, mat, box",
        "on, in, open",
        "the left boot belongs on the mat, and the other one in the box",
        "[the left boot] is on [the mat]; [the other boot] is in [the box].",
    ),
    Example(
        "cushion, stool, basket, cat",
        "on, in, to the right of, held",
        "take the cushion and put it to the right of the basket. Don't touch the cat",
        "[the cushion] is to the right of [the basket]; [the cat] is untouched.",
    ),
    Example(
        "drum next to the sofa, drum on the shelf, sofa, rug",
        "on, in, next to",
        "Onto the rug goes the drum that is sitting by the sofa",
        "[the drum by the sofa] is on [the rug].",
    ),
)
"""For instructions that say what is to be, one thing after the other."""

LOGIC: tuple[Example, ...] = (
    Example(
        "hat, bench",
        "on, in, open, closed",
        "don't leave the hat on the bench",
        "[the hat] is not on [the bench].",
    ),
    Example(
        "sofa, armchair, blanket",
        "on, in, held",
        "not the sofa, the armchair is where the blanket belongs",
        "[the blanket] is on [the armchair]; [the blanket] is not on [the sofa].",
    ),
    Example(
        "comb, pouch, sink",
        "on, in, held",
        "I'd rather have the comb in the pouch than on the sink",
        "[the comb] is in [the pouch]; [the comb] is not on [the sink].",
    ),
    Example(
        "coat, hook, wardrobe",
        "on, in, open, closed",
        "hang the coat on the hook, without opening the wardrobe",
        "[the coat] is on [the hook]; [the wardrobe] is not open.",
    ),
    Example(
        "clock, radiator",
        "on, in, open, closed",
        "Stand the clock anywhere except on the radiator.",
        "[the clock] is not on [the radiator].",
    ),
    Example(
        "perfume, pouch",
        "on, in, open, closed",
        "Whatever you do, the perfume must never end up in the pouch.",
        "[the perfume] is not in [the pouch].",
    ),
    _RED,
    _KITE,
    Example(
        "highest locker, middle locker, lowest locker",
        "on, in, open, closed",
        "Every locker other than the lowest has to be open when I come, that one closed.",
        "[every locker except the lowest] is open; [the lowest] is closed.",
    ),
    Example(
        "left curtain, middle curtain, right curtain",
        "on, in, open, closed",
        "I want each curtain shut, the middle one excepted: open it",
        "[each curtain except the middle one] is closed; [the middle one] is open.",
    ),
    Example(
        "kite, trunk, ball",
        "on, in, held",
        "apart from the kite nothing goes in the trunk, so in with the kite",
        "[the kite] is in [the trunk]; [everything except the kite] is not in [the trunk].",
    ),
    _LAMP,
    Example(
        "tall fern, small fern, rose bed",
        "watered, planted in, ripe",
        "Make sure every fern gets some water; not the roses though",
        "[every fern] is watered; [the roses] are not watered.",
    ),
    Example(
        "swimming course, chess course, mia, tom",
        "taught by, paid, full",
        "tom teaches none of the courses; mia does the chess",
        "[the chess] is taught by [mia]; [all courses] are not taught by [tom].",
    ),
    Example(
        "radio, lamp",
        "on, in, turned on",
        "either the radio or the lamp should be on, your pick",
        "[the radio] is turned on; or [the lamp] is turned on.",
    ),
    Example(
        "left flute, right flute, piano",
        "on, in, held",
        "one of the flutes on the piano, doesn't matter which",
        "[one of the flutes] is on [the piano].",
    ),
    Example(
        "apron, gown, hook",
        "on, in, held",
        "Some piece of clothing for the hook: the apron, the gown, I don't mind",
        "[the apron] is on [the hook]; or [the gown] is on [the hook].",
    ),
    Example(
        "left window, middle window, right window",
        "on, in, open, closed",
        "2 windows open, thanks",
        "[2 windows] are open.",
    ),
    Example(
        "red shirt, white shirt, blue shirt, grey shirt, green shirt, hamper",
        "on, in, held",
        "any three of the five shirts may go in the hamper",
        "[3 shirts] are in [the hamper].",
    ),
    Example(
        "drum, old chair, attic",
        "on, in, held",
        "There are two things for the attic: the drum and the old chair.",
        "[the drum] is in [the attic]; [the old chair] is in [the attic].",
    ),
    Example(
        "blue towel, grey towel, suitcase",
        "on, in, open, closed",
        "open the suitcase, pack both towels inside. Afterwards close it again",
        "[the suitcase] is open; then [both towels] are in [the suitcase]; then [the suitcase] is closed.",
    ),
    Example(
        "wardrobe, coat, hook",
        "on, in, open, closed",
        "before you hang the coat on the hook, shut the wardrobe",
        "[the wardrobe] is closed; then [the coat] is on [the hook].",
    ),
    Example(
        "umbrella, trunk, tent, rope",
        "on, in, held",
        "the umbrella goes in the trunk last, after the tent and the rope",
        "[the tent] is in [the trunk]; [the rope] is in [the trunk]; then [the umbrella] is in [the trunk].",
    ),
    Example(
        "fan, window",
        "open, closed, turned on, turned off",
        "Fan on, window open, and when that's done fan off again.",
        "[the fan] is turned on; [the window] is open; then [the fan] is turned off.",
    ),
    Example(
        "saw, crate, hammer",
        "on, in, held",
        "Step 1: saw -> crate. Step 2: hammer -> same crate.",
        "[saw] is in [crate]; then [hammer] is in [crate].",
    ),
    Example(
        "gate, wheelbarrow, yard",
        "on, in, open, closed",
        "Only once the gate stands open may the wheelbarrow go in the yard.",
        "[the gate] is open; then [the wheelbarrow] is in [the yard].",
    ),
    Example(
        "ladder, shed, bucket",
        "on, in, held",
        "Carry the ladder to the shed but leave the bucket where it is.",
        "[the ladder] is in [the shed]; [the bucket] is untouched.",
    ),
    Example(
        "trophy, medal, showcase",
        "on, in, held",
        "hands off the trophy! the medal can go in the showcase",
        "[the trophy] is untouched; [the medal] is in [the showcase].",
    ),
    Example(
        "left boot, right boot, mat, box",
        "on, in, open",
        "the left boot belongs on the mat, and the other one in the box",
        "[the left boot] is on [the mat]; [the other one] is in [the box].",
    ),
    Example(
        "parcel, letter, mailbox",
        "on, in, held",
        "The parcel and the letter: the former goes in the mailbox, the latter stays out of it.",
        "[the parcel] is in [the mailbox]; [the letter] is not in [the mailbox].",
    ),
    Example(
        "cage with the blue roof, wall",
        "on, in, held",
        "See the cage with the blue roof? Take hold of it and set it down on the wall.",
        "[the cage with the blue roof] is on [the wall].",
    ),
    Example(
        "heater, blanket",
        "on, in, turned on, turned off",
        "That heater has been on for ages. Off with it, and the blanket on top.",
        "[the heater] is turned off; [the blanket] is on [the heater].",
    ),
    _WINDOW,
    _PHONE,
    Example(
        "rug, attic",
        "on, in, held",
        "Unless grandma objects, the rug goes to the attic; otherwise leave it",
        "unclear.",
    ),
    Example("tent, backpack", "on, in, held", "Nobody has asked for the tent to be moved.", "unclear."),
)
"""For instructions with words of logic or order, or of several sentences."""
