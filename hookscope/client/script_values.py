"""The functions of written scripts that make new values, as texts."""

from hookscope.client.script_hooks import Helper

VALUES: dict[str, Helper] = {
    "clip_norm": Helper(
        '''
def clip_norm(x, limit):
    """Scale a tensor to a Euclidean norm of `limit` where its norm is above."""
    norm = torch.linalg.vector_norm(x, dtype=torch.complex128 if x.is_complex() else torch.float64)
    if not limit < norm.item() < math.inf:
        return x
    wide = torch.promote_types(x.dtype, torch.float32)
    return (x.to(wide) * (limit / norm)).to(x.dtype)
''',
        ("import math",),
    ),
    "generator": Helper(
        '''
def generator(device, seed, path, call):
    """Return the random numbers of one change in one call: the same ones in each step."""
    digest = hashlib.sha256(f"{seed} {call} {path}".encode()).digest()
    return torch.Generator(device).manual_seed(int.from_bytes(digest[:8], "big") >> 1)
''',
        ("import hashlib",),
    ),
    "noise": Helper(
        '''
def noise(x, std, seed, path, call):
    """Return normally distributed numbers for each element of a tensor."""
    drawn_from = generator(x.device, seed, path, call)
    return std * torch.randn(x.shape, generator=drawn_from, dtype=x.dtype, device=x.device)
''',
        needs=("generator",),
    ),
    "shuffled": Helper(
        '''
def shuffled(x, dim, seed, path, call):
    """Return a tensor with its entries along a dim in another order."""
    drawn_from = generator(x.device, seed, path, call)
    return x.index_select(dim, torch.randperm(x.size(dim), generator=drawn_from, device=x.device))
''',
        needs=("generator",),
    ),
    "array": Helper(
        '''
def array(file):
    """Return the tensor in a `.npy` file."""
    values = numpy.load(file, allow_pickle=False)
    return torch.from_numpy(values.astype(values.dtype.newbyteorder("=")))
''',
        ("import numpy",),
    ),
    "packed": Helper(
        '''
def packed(text):
    """Return the tensor in a `.npy` file that is written as base64."""
    return array(io.BytesIO(base64.b64decode(text)))
''',
        ("import base64", "import io"),
        ("array",),
    ),
    "fitted": Helper(
        '''
def fitted(values, x):
    """Return a copy of values in the shape, dtype and place of a tensor."""
    if [size for size in values.shape if size != 1] == [size for size in x.shape if size != 1]:
        values = values.reshape(x.shape)
    return torch.empty_like(x).copy_(values.broadcast_to(x.shape))
''',
    ),
}
"""Name -> what is written, in the order in which they stand in a script."""
