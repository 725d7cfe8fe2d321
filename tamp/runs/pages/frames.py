"""The first and the last picture of a video, small enough to stand in a page."""

from __future__ import annotations

import contextlib
from base64 import b64encode
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LARGEST = 480
"""Pixels of the longer side."""
LAST_SECONDS = 2.0
"""Seconds before a video's end in which its last picture is looked for."""
LONGEST = 60_000
"""Pictures that are gone through at most in these seconds."""


def first_and_last(video: Path) -> tuple[str, str] | None:
    """Both pictures as data URIs of JPEG; None where the video cannot be read, as one that was cut off."""
    pictures = (_picture(video, ()), _picture(video, ("-sseof", f"-{LAST_SECONDS:g}")))
    first, last = pictures
    if first is None:
        return None
    return _uri(first), _uri(first if last is None else last)


def _picture(video: Path, seek: tuple[str, ...]) -> NDArray[np.uint8] | None:
    """The first picture, or with a place to seek the last one from there on."""
    import imageio_ffmpeg

    with contextlib.suppress(OSError, RuntimeError, StopIteration, ValueError):
        read = imageio_ffmpeg.read_frames(str(video), input_params=list(seek))
        with contextlib.closing(read):
            width, height = next(read)["size"]
            found = None
            for n, frame in enumerate(read):
                found = frame
                if not seek or n >= LONGEST:
                    break
            if found is not None:
                return np.frombuffer(found, np.uint8).reshape(height, width, 3)
    return None


def _uri(picture: NDArray[np.uint8]) -> str:
    import imageio.v3 as iio

    every = max(1, -(-max(picture.shape[:2]) // LARGEST))
    made = iio.imwrite("<bytes>", picture[::every, ::every], extension=".jpg", quality=85)
    return f"data:image/jpeg;base64,{b64encode(made).decode()}"
