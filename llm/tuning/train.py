"""`make tune`: a low-rank adapter for Qwen2.5-Coder, from its shipped weights and the sentences in the repository.

    python -m llm.tuning.train MODEL.gguf OUT [--epochs N] [--minutes M] [--rank R] [--rate L]
                               [--begin STATE.pt [--keep SHARE]] SENTENCES...

Runs in an environment of its own (torch, transformers, peft), on a GPU where there is one. It is kept in OUT every
twenty steps, and goes on from there; `--minutes` ends it after so many, as kept. With `--begin` it begins from an
earlier adapter, of which `--keep` is that share in the one that comes of it: the shipped one was made so
(docs/language.md).
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

from llm.reader.sentences import Sentence, read_sentences
from llm.tuning import SCALE
from llm.tuning.batches import IGNORED, Packed, batches, packed

LAYERS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
RATE, WARM_UP, LEAST_SHARE = 4e-4, 20, 0.1
"""The highest learning rate, the steps up to it, and the share of it that is left in the end (half a cosine)."""
TOGETHER = 13
"""Sentences of a scene in one batch."""
EACH = 6
"""Batches in a step of the optimiser: on a GPU side by side, elsewhere one after the other."""
KEPT = 20
"""Steps between two states that are kept."""
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
ATTENTION, HIDDEN = ("eager" if DEVICE == "cuda" else "sdpa"), -1e4
"""How attention is computed, and what a hidden token adds to a score. On an H200 losses were NaN with PyTorch's fused
kernels and the lowest number of its type."""


@dataclass
class Run:
    """What there is to do, and how far it is."""

    out: Path
    epochs: int
    rank: int
    seed: int
    rate: float = RATE
    begin: Path | None = None
    """The state of the adapter to begin from, if any."""
    kept: float = 0.0
    """The share of that adapter in the result."""
    step: int = 0
    seconds: float = 0.0

    @property
    def state(self) -> Path:
        """Where the optimiser is kept, and how far it was."""
        return self.out / "state.pt"


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Tune an adapter.")
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("sentences", nargs="+", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--begin", type=Path)
    parser.add_argument("--keep", type=float, default=0.0)
    asked = parser.parse_args()
    run = Run(asked.out, asked.epochs, asked.rank, asked.seed, asked.rate, asked.begin, asked.keep)
    run.out.mkdir(parents=True, exist_ok=True)
    train(run, asked.model, [s for file in sorted(asked.sentences) for s in read_sentences(file)], asked.minutes * 60)


def train(run: Run, weights: Path, sentences: list[Sentence], most: float) -> None:
    """Go on until all epochs are done, or for so many seconds."""
    tokenizer = AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name)
    end = int(tokenizer.convert_tokens_to_ids("<|im_end|>"))

    def encode(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    model = adapted(weights, run)
    adapter = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(adapter, lr=run.rate, weight_decay=0.0)
    begin = None if run.begin is None else torch.load(run.begin, map_location=DEVICE)["adapter"]
    if run.state.exists():
        kept = torch.load(run.state, map_location=DEVICE)
        model.load_state_dict(kept["adapter"], strict=False)
        optimiser.load_state_dict(kept["optimiser"])
        run.step, run.seconds = kept["step"], kept["seconds"]
    elif begin is not None:
        model.load_state_dict(begin, strict=False)
    todo = [b for n in range(run.epochs) for b in batches(sentences, TOGETHER, random.Random(run.seed + n))]
    steps = [todo[n : n + EACH] for n in range(0, len(todo), EACH)]
    begun, seen, before = time.monotonic(), 0, run.seconds
    for n in range(run.step, len(steps)):
        for group in optimiser.param_groups:
            group["lr"] = run.rate * rate(n, len(steps))
        some = [packed(b, encode, end) for b in steps[n]]
        losses = list[float]()
        for those in [some] if DEVICE == "cuda" else [[one] for one in some]:
            loss = loss_of(model, those)
            (loss * len(those) / len(some)).backward()
            losses.append(loss.item())
        torch.nn.utils.clip_grad_norm_(adapter, 1.0)
        optimiser.step()
        optimiser.zero_grad()
        seen += sum(len(one.tokens) for one in some)
        spent = time.monotonic() - begun
        run.step, run.seconds = n + 1, before + spent
        report(run, len(steps), sum(losses) / len(losses), seen / spent)
        if run.step % KEPT == 0 or run.step == len(steps) or spent > most:
            keep(run, model, optimiser, begin if run.step == len(steps) else None)
        if spent > most:
            return


def adapted(weights: Path, run: Run) -> Any:
    """The model with an adapter: the one that is kept, or a new one that changes nothing yet."""
    torch.manual_seed(run.seed)
    base = AutoModelForCausalLM.from_pretrained(
        weights.parent,
        gguf_file=weights.name,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
        attn_implementation=ATTENTION,
    )
    config = LoraConfig(r=run.rank, lora_alpha=SCALE * run.rank, target_modules=LAYERS, task_type="CAUSAL_LM")
    return get_peft_model(base, config).to(DEVICE)


def rate(step: int, steps: int) -> float:
    """The learning rate of a step, as a share of the highest."""
    cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
    return min(1.0, (step + 1) / WARM_UP) * (LEAST_SHARE + (1 - LEAST_SHARE) * cosine)


def loss_of(model: Any, some: Sequence[Packed]) -> torch.Tensor:
    """Cross entropy of the answers' tokens, of batches that do not see one another; only theirs are projected onto the
    vocabulary."""
    segments = torch.tensor([s for one in some for s in one.segments], device=DEVICE)
    batch = torch.tensor([n for n, one in enumerate(some) for _ in one.tokens], device=DEVICE)
    causal = torch.ones(len(segments), len(segments), device=DEVICE).tril().bool()
    sees = causal & (batch[None] == batch[:, None]) & ((segments[None] == segments[:, None]) | (segments[None] == 0))
    mask = torch.where(sees, 0.0, HIDDEN).to(torch.bfloat16)[None, None]
    labels = torch.tensor([label for one in some for label in one.labels], device=DEVICE)[1:]
    learnt = (labels != IGNORED).nonzero()[:, 0]
    inner = model.base_model.model
    hidden = inner.model(
        input_ids=torch.tensor([[t for one in some for t in one.tokens]], device=DEVICE),
        position_ids=torch.tensor([[p for one in some for p in one.positions]], device=DEVICE),
        attention_mask=mask,
        use_cache=False,
    ).last_hidden_state[0]
    logits = inner.lm_head(hidden[learnt]).float()
    return torch.nn.functional.cross_entropy(logits, labels[learnt])


def keep(run: Run, model: Any, optimiser: Any, begin: dict[str, torch.Tensor] | None = None) -> None:
    """Write the adapter, the optimiser and how far it is, so that a killed run goes on from here; in the end blended
    with the adapter that it began from."""
    partial = run.state.with_suffix(".partial")
    adapter = {name: p for name, p in model.state_dict().items() if "lora_" in name}
    if begin is not None:
        adapter = {name: run.kept * begin[name] + (1 - run.kept) * p for name, p in adapter.items()}
    torch.save(
        {"step": run.step, "seconds": run.seconds, "adapter": adapter, "optimiser": optimiser.state_dict()}, partial
    )
    partial.replace(run.state)


def report(run: Run, steps: int, loss: float, speed: float) -> None:
    """A line a batch, for people and for the card."""
    loss, speed = round(loss, 4), round(speed)
    line = {"step": run.step, "of": steps, "loss": loss, "tokens a second": speed, "seconds": round(run.seconds)}
    with (run.out / "log.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    if run.step % 10 == 0:
        print(json.dumps(line), flush=True)  # noqa: T201 (a script of its own)


if __name__ == "__main__":
    main()
