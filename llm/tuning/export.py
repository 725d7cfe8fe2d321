"""An adapter as llama.cpp reads it, GGUF in half precision, and as peft and vLLM do, a folder.

python -m llm.tuning.export STATE.pt OUT.gguf
python -m llm.tuning.export IN.gguf FOLDER
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import gguf

from llm.tuning import SCALE
from tamp.files.replacing import replace_file

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""What llama.cpp calls the layers of Qwen2."""
_LAYER = re.compile(r".*\.layers\.(\d+)\.(\w+\.\w+)\.lora_([AB])\.default\.weight")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Convert an adapter for llama.cpp.")
    parser.add_argument("adapter", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    if asked.adapter.suffix == ".gguf":
        to_folder(asked.adapter, asked.out)
    else:
        import torch

        export(torch.load(asked.adapter)["adapter"], asked.out)


def export(adapter: dict[str, Any], out: Path) -> None:
    """Write an adapter's tensors, by the names that peft gives them, A (r, in) and B (out, r)."""
    rank = next(t.shape[0] for name, t in adapter.items() if ".lora_A." in name)
    writer = gguf.GGUFWriter(str(out), "qwen2")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, float(SCALE * rank))
    for name, tensor in adapter.items():
        found = _LAYER.fullmatch(name)
        if found is None:
            raise ValueError(f"{name} is no layer of Qwen2")
        number, layer, side = found.groups()
        half = tensor.detach().half().contiguous().numpy()
        writer.add_tensor(f"blk.{number}.{NAMES[layer]}.weight.lora_{side.lower()}", half)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def to_folder(adapter: Path, out: Path) -> None:
    """Write an adapter as peft has it."""
    from safetensors.numpy import save_file

    theirs, tensors = {ours: name for name, ours in NAMES.items()}, dict[str, Any]()
    for t in gguf.GGUFReader(adapter).tensors:
        _, layer, name, _, side = t.name.split(".")
        side = {"lora_a": "lora_A", "lora_b": "lora_B"}[side]
        tensors[f"base_model.model.model.layers.{layer}.{theirs[name]}.{side}.weight"] = t.data
    rank = min(next(iter(tensors.values())).shape)
    modules = sorted({name.partition(".")[2] for name in NAMES})
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": rank,
        "lora_alpha": SCALE * rank,
        "target_modules": modules,
    }
    out.mkdir(parents=True, exist_ok=True)
    save_file(tensors, out / "adapter_model.safetensors")
    replace_file(out / "adapter_config.json", json.dumps(config))


if __name__ == "__main__":
    main()
