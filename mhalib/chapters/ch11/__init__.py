"""Chapter 11, *What heads cost*: what its notebook alone needs."""

from mhalib.chapters.ch11.cache_sizes import (
    DECODERS,
    bytes_per_token,
    cache_bytes,
    kept,
    n_parameters,
)
from mhalib.chapters.ch11.checks import check_cache_size, check_for_heads, check_step
from mhalib.chapters.ch11.latent import Latent
from mhalib.chapters.ch11.make_it_fit import MakeItFit
from mhalib.chapters.ch11.memory_ruler import MemoryRuler

__all__ = [
    "bytes_per_token",
    "cache_bytes",
    "check_cache_size",
    "check_for_heads",
    "check_step",
    "DECODERS",
    "kept",
    "Latent",
    "MakeItFit",
    "MemoryRuler",
    "n_parameters",
]
