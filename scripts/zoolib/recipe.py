"""Builds a tiny model of an architecture from its name alone: its configuration with every known size made small.

Nothing is loaded: the weights are random, the inputs too, both seeded. Needs `transformers` (the extra `test`).
"""

import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # read when transformers is imported

import torch
import transformers
from torch import nn
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

transformers.logging.set_verbosity_error()

DEPTH, WIDTH, HEADS, INNER, EXPERTS, HEAD_WIDTH = 2, 32, 4, 64, 4, 8

SIZES: tuple[tuple[int, tuple[str, ...]], ...] = (
    (DEPTH, (
        "num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "depth",
        "encoder_num_layers", "num_key_value_heads", "num_experts_per_tok", "num_experts_per_token", "moe_topk",
    )),
    (WIDTH, (
        "hidden_size", "d_model", "n_embd", "dim", "embed_dim", "emb_dim", "embedding_size", "word_embed_proj_dim",
        "image_size",
    )),
    (HEADS, (
        "num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads", "encoder_attention_heads",
        "decoder_attention_heads",
    )),
    (INNER, (
        "intermediate_size", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "d_ff", "d_inner", "n_inner",
        "hidden_dim", "max_position_embeddings", "n_positions",
    )),
    (HEAD_WIDTH, (
        "head_dim", "d_kv", "v_head_dim", "qk_rope_head_dim", "qk_nope_head_dim", "q_lora_rank", "kv_lora_rank",
        "patch_size",
    )),
    (EXPERTS, ("num_experts", "num_local_experts", "n_routed_experts")),
    (16, ("moe_intermediate_size", "num_mel_bins")),
    (128, ("vocab_size",)),
    (0, ("pad_token_id", "decoder_start_token_id")),
    (1, ("bos_token_id", "n_group", "topk_group")),
    (2, ("eos_token_id",)),
)  # fmt: skip
"""Sizes, and the names under which configurations have them."""

TOKENS, TARGET_TOKENS, SAMPLES, FRAMES = 12, 7, 3200, 64
BATCH = 2


@dataclass(frozen=True)
class Specimen:
    """A model and the keyword inputs of its step."""

    model: nn.Module
    inputs: Mapping[str, torch.Tensor]

    def run(self) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """Run forward and loss, not backward; return the loss and every tensor of the output."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            output = self.model(**self.inputs)
        found = tuple(_tensors(output))
        parts = [t.float().square().mean() for t in found if t.requires_grad and t.is_floating_point()]
        if not parts:
            raise ValueError("no output can have a gradient")
        return torch.stack(parts).sum(), found


def names() -> list[str]:
    """Return every architecture for which transformers has a model without a head."""
    return sorted(set(MODEL_MAPPING_NAMES))


def build(name: str) -> Specimen:
    """Return a tiny model of an architecture, in training mode, the same one every time.

    Raises:
        Exception: Whatever transformers raises when the architecture cannot be shrunk like this.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        config = CONFIG_MAPPING[name]()
        _shrink(config, set())
        model = transformers.AutoModel.from_config(config).train()
    return Specimen(model, _inputs(model))


def _shrink(config: transformers.PretrainedConfig, done: set[int]) -> None:
    if id(config) in done:
        return
    done.add(id(config))
    for size, fields in SIZES:
        for field in fields:
            try:  # some are read-only, or differ by layer
                if type(getattr(config, field, None)) is int:
                    setattr(config, field, size)
            except Exception:
                continue
    for inner in list(vars(config).values()):
        if isinstance(inner, transformers.PretrainedConfig):
            _shrink(inner, done)


def _inputs(model: nn.Module) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    config, name = model.config, model.main_input_name
    if name == "input_ids":
        inputs = {name: torch.randint(3, 100, (BATCH, TOKENS), generator=generator)}
        if config.is_encoder_decoder:
            inputs["decoder_input_ids"] = torch.randint(3, 100, (BATCH, TARGET_TOKENS), generator=generator)
        return inputs
    shape = _SHAPES.get(name, lambda _: None)(config)
    if shape is None:
        raise ValueError(f"the recipe has no input for {name}")
    return {name: torch.randn(BATCH, *shape, generator=generator)}


def _picture(config: transformers.PretrainedConfig) -> tuple[int, ...]:
    size = getattr(config, "image_size", WIDTH)
    side = max(size, WIDTH) if isinstance(size, int) else WIDTH
    return getattr(config, "num_channels", 3) or 3, side, side


_SHAPES = {
    "pixel_values": _picture,
    "input_values": lambda _: (SAMPLES,),
    "input_features": lambda config: (getattr(config, "num_mel_bins", 16) or 16, FRAMES),
}


def _tensors(value: object) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)
