"""Every kind of model of chapter 08, small: widths, tokens and values are distinct."""

from mhalib.training import Settings

VARIANTS = {
    "as it is": {},
    "one head": {"n_heads": 1},
    "linear": {"softmax": False},
    "merged": {"rows": "merged"},
    "merged, linear": {"rows": "merged", "softmax": False},
    "averaged": {"rows": "averaged"},
    "averaged, linear": {"rows": "averaged", "softmax": False},
    "shared values": {"values": "shared"},
    "shared values, linear": {"values": "shared", "softmax": False},
    "shared values, merged": {"values": "shared", "rows": "merged"},
    "one K and V": {"n_kv": 1},
    "two K and V": {"n_kv": 2},
    "narrow queries": {"d_query": 1},
    "latent": {"latent": 5},
    "latent, two K and V": {"latent": 5, "n_kv": 2},
    "MLP": {"readout": "mlp"},
    "two layers": {"n_layers": 2},
    "three layers, linear": {"n_layers": 3, "softmax": False},
    "vectors as keys": {"d_key": 11},
    "equal heads": {"equal_heads": True},
    "nearly all at once": {
        "rows": "averaged",
        "values": "shared",
        "n_kv": 2,
        "d_query": 5,
        "latent": 5,
        "readout": "mlp",
        "n_layers": 2,
        "d_key": 11,
    },
}
MODELS = {
    name: Settings(**{"k": 2, "n_heads": 4, "d_model": 12, "n_tokens": 5, "n_values": 7} | variant)
    for name, variant in VARIANTS.items()
}
