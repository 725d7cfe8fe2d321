"""An adapter as llama.cpp reads it: GGUF, in half precision.

python -m llm.tuning.export STATE.pt OUT.gguf
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import gguf
import torch

from llm.tuning import SCALE

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
    parser.add_argument("state", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    export(torch.load(asked.state)["adapter"], asked.out)


def export(adapter: dict[str, torch.Tensor], out: Path) -> None:
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
        half = tensor.detach().to(torch.float16).contiguous().numpy()
        writer.add_tensor(f"blk.{number}.{NAMES[layer]}.weight.lora_{side.lower()}", half)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
