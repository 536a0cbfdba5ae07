"""Weights as float32 arrays, from three kinds of files; nothing in a file is ever run."""

import mmap
import pickle
from collections import OrderedDict

import numpy as np


def read_torch(path):
    """The tensors of an old `torch.save` file (before zip files), by name.

    It is a pickle, and unpickling runs what a file names. This reader knows three names, those of a
    dictionary, a tensor and float32 storage, and refuses every other.

    Raises pickle.UnpicklingError for anything else than a dictionary of float32 tensors.
    """
    with open(path, "rb") as file:
        for expected in (0x1950A86A20F9469CFC6C, 1001):
            if _Tensors(file).load() != expected:
                raise pickle.UnpicklingError(f"{path} is not an old torch file.")
        _Tensors(file).load()  # how large this machine's integers are
        pickled = _Tensors(file)
        tensors = pickled.load()
        for key in _Tensors(file).load():  # each storage: its length, then its numbers
            length = int(np.fromfile(file, "<i8", 1)[0])
            if length != len(pickled.storages[key]):
                raise pickle.UnpicklingError(f"a storage of {path} has another length.")
            pickled.storages[key][:] = np.fromfile(file, "<f4", length)
    return dict(tensors)


class _Tensors(pickle.Unpickler):
    """Rebuilds tensors, as views of storages that are filled afterwards."""

    def __init__(self, file):
        super().__init__(file)
        self.storages = {}

    def find_class(self, module, name):
        known = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): _view,
            ("torch", "FloatStorage"): "float32",
        }
        if (module, name) not in known:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a tensor.")
        return known[module, name]

    def persistent_load(self, saved):
        kind, dtype, key, _, length, *_ = saved
        if (kind, dtype) != ("storage", "float32"):
            raise pickle.UnpicklingError(f"{kind} of {dtype} is no storage of float32.")
        return self.storages.setdefault(key, np.zeros(length, np.float32))


def _view(storage, offset, shape, strides, *_):
    """A tensor as torch describes it: numbers of a storage, checked to lie inside it."""
    last = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    if min(offset, *shape, *strides) < 0 or last >= len(storage):
        raise pickle.UnpicklingError("a tensor reaches beyond its storage.")
    bytes_apart = [s * storage.itemsize for s in strides]
    return np.lib.stride_tricks.as_strided(storage[offset:], shape, bytes_apart, writeable=False)


def read_safetensors(path):
    """The tensors of a safetensors file, by name."""
    from safetensors.numpy import load_file

    return load_file(path)


class GGUF:
    """A GGUF file: `tensor(name)` expands one tensor to float32, `field(name)` reads metadata."""

    def __init__(self, path):
        from gguf import GGUFReader

        class Plain(GGUFReader):
            """Its array as a plain view: slicing a memmap a hundred thousand times takes long."""

            data = property(
                lambda self: self._plain,
                lambda self, data: setattr(self, "_plain", data.view(np.ndarray)),
            )

        self._file = Plain(path)
        self._tensors = {tensor.name: tensor for tensor in self._file.tensors}

    def field(self, name):
        """A number, a text, or a list of them."""
        return self._file.fields[name].contents()

    def forget_fields(self):
        """Let go of the metadata, hundreds of thousands of small arrays, once it has been read."""
        self._file.fields.clear()

    def tensor(self, name, rows_at_once=8192):
        """Expand a tensor, some rows at once, so that little memory is needed besides."""
        from gguf.quants import dequantize

        stored = self._tensors[name]
        parts = range(0, len(stored.data), rows_at_once)
        expanded = np.empty(stored.shape[::-1].tolist(), np.float32)
        for start in parts:
            part = slice(start, start + rows_at_once)
            expanded[part] = dequantize(stored.data[part], stored.tensor_type)
        if hasattr(mmap, "MADV_DONTNEED"):  # what was read need not stay in memory
            self._file.data.base._mmap.madvise(mmap.MADV_DONTNEED)
        return expanded
