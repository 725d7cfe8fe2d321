"""The moving picture of README.md: an instruction, its plan ticked off step by step, and the video of both cameras.

`python -m tests.page_picture RUN PICTURE.gif`, where RUN is a folder that `tamp solve --video` wrote.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import imageio.v2 as imageio
import numpy as np
from imageio_ffmpeg import get_ffmpeg_exe
from PIL import Image, ImageDraw, ImageFont

from tamp.runs.episode_log import LOG
from tamp.view.story import Story
from tamp.view.summary import goals_of, verdict_of

WIDTH, LINE, MARGIN = 640, 24, 10
READ, ADMIRE = 2.0, 2.5
"""Seconds for which the first and the last picture stand."""
PAPER, INK, GREY, NOW, DONE = "#0d1117", "#e6edf3", "#8b949e", "#d29922", "#3fb950"
GIF = "fps=8,split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none:diff_mode=rectangle"


def pictures(run: Path, rate: float) -> Iterator[np.ndarray]:
    """The pictures (h, w, 3) of an episode, `rate` of them a second; its video has as many."""
    story = Story.of(run / LOG)
    end = story.ending()
    goal = " ".join(goals_of(end))
    steps = [(a.action, a.first_step or 0, a.last_step or 0) for a in story.actions]
    frames = [np.asarray(frame) for frame in imageio.get_reader(run / "video.mp4")]

    def picture(frame: np.ndarray, control_step: float, last_line: str = "") -> np.ndarray:
        lines = [(end.said, INK, None), (goal, GREY, None)]
        for action, first, last in steps:
            done = control_step > last
            lines.append((action, DONE if done else NOW if control_step >= first else GREY, done))
        return _drawn(frame, [*lines, (last_line, DONE if end.verdict == "success" else NOW, None)])

    yield from [picture(frames[0], 0)] * round(READ * rate)
    for i, frame in enumerate(frames):
        yield picture(frame, 1 + i / rate / story.period)
    yield from [picture(frames[-1], np.inf, verdict_of(end))] * round(ADMIRE * rate)


def _drawn(frame: np.ndarray, lines: list[tuple[str, str, bool | None]]) -> np.ndarray:
    """Lines of text, with a box where they are steps, over a frame."""
    below = Image.fromarray(frame)
    below = below.resize((WIDTH, WIDTH * below.height // below.width), Image.Resampling.LANCZOS)
    top = 2 * MARGIN + LINE * len(lines)
    paper = Image.new("RGB", (WIDTH, top + below.height), PAPER)
    paper.paste(below, (0, top))
    draw = ImageDraw.Draw(paper)
    for n, (text, colour, done) in enumerate(lines):
        x, y = MARGIN, MARGIN + LINE * n
        if done is not None:
            draw.rectangle((x, y + 5, x + 13, y + 18), outline=colour, width=2)
            if done:
                draw.line((x + 3, y + 11, x + 6, y + 15, x + 12, y + 5), fill=colour, width=3)
            x += LINE
        fonts = (ImageFont.load_default(size) for size in range(19 if n == 0 else 16, 7, -1))
        font = next(font for font in fonts if font.getlength(text) < WIDTH - x or font.size == 8)
        draw.text((x, y), text, fill=colour, font=font)
    return np.asarray(paper)


def main(run: Path, to: Path) -> None:
    """Write the picture."""
    rate = imageio.get_reader(run / "video.mp4").get_meta_data()["fps"]
    moving = run / "picture.mp4"
    with imageio.get_writer(moving, fps=rate, macro_block_size=None, quality=10) as writer:
        for picture in pictures(run, rate):
            writer.append_data(picture)
    ffmpeg = [get_ffmpeg_exe(), "-y", "-loglevel", "error"]
    subprocess.run([*ffmpeg, "-i", moving, "-vf", GIF, "-loop", "0", to], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
