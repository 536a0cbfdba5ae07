"""What published models hold besides their heads, by their own cards."""

from mhalib.published_models import PARAMETERS


def gated(width, hidden):
    return 3 * width * hidden


def plain(width, hidden):
    return 2 * width * hidden


TOTAL = PARAMETERS | {
    "BERT-base": 109_482_240,
    "ViT-B/16": 86_567_656,
    "Mistral-7B": PARAMETERS["Mistral-7B v0.1"],
}
BESIDES = {  # words (with positions), a layer's MLP, its norms, biases and others, and once
    "GPT-2 small": ((50257 + 1024) * 768, plain(768, 3072), 13 * 768, 2 * 768),
    "BERT-base": (
        (30522 + 512 + 2) * 768 + 2 * 768,
        plain(768, 3072),
        13 * 768,
        768**2 + 768,
    ),
    "ViT-B/16": (
        (3 * 16**2 + 1) * 768 + 197 * 768 + 768,
        plain(768, 3072),
        13 * 768,
        2 * 768 + 768 * 1000 + 1000,
    ),
    "Llama-2-7B": (2 * 32000 * 4096, gated(4096, 11008), 2 * 4096, 4096),
    "Llama-2-70B": (2 * 32000 * 8192, gated(8192, 28672), 2 * 8192, 8192),
    "Llama-3-8B": (2 * 128256 * 4096, gated(4096, 14336), 2 * 4096, 4096),
    "Mistral-7B": (2 * 32000 * 4096, gated(4096, 14336), 2 * 4096, 4096),
    "Mistral-Nemo": (2 * 131072 * 5120, gated(5120, 14336), 2 * 5120, 5120),
    "Gemma-7B": (256000 * 3072, gated(3072, 24576), 2 * 3072, 3072),
    "Qwen3-0.6B": (151936 * 1024, gated(1024, 3072), 2 * 1024 + 2 * 128, 1024),
    "Falcon-7B": (65024 * 4544, plain(4544, 4 * 4544), 2 * 4544, 2 * 4544),
    "SmolLM2-135M": (49152 * 576, gated(576, 1536), 2 * 576, 576),
    "Mixtral-8x7B": (2 * 32000 * 4096, 8 * (gated(4096, 14336) + 4096), 2 * 4096, 4096),
    "Command-R": (256000 * 8192, gated(8192, 22528), 8192, 8192),
    "GLM-4-9B": (2 * 151552 * 4096, gated(4096, 13696), 2 * 4096 + 4096 + 2 * 256, 4096),
    "SmolLM3-3B": (128256 * 2048, gated(2048, 11008), 2 * 2048, 2048),
    "Gemma-2-2B": (256000 * 2304, gated(2304, 9216), 4 * 2304, 2304),
    "gpt-oss-120b": (
        2 * 201088 * 2880,
        128 * (2880 * 5760 + 5760 + 2880 * 2880 + 2880) + 128 * 2880 + 128,
        2 * 2880 + (4096 + 2 * 512 + 2880) + 64,  # norms, biases, a sink a head
        2880,
    ),
}
