@triton.jit
def f(x, y: tl.constexpr = 1, /, *a, z=None, **m) -> int:
    """doc"""
    if (n := x + 1) < 3 <= y and not z or x is not None:
        return x, -y ** 2
    elif x in (1, 2): pass
    else:
        a, (b, c) = 1, (2.5e-3, 0x_ff)
    for i, j in tl.range(0, n, 2, num_stages=3):
        acc += tl.dot(a[:, None], b[..., 1:2:-1], acc)
        x: tl.constexpr = [k * 2 for k in a if k if j]
    while x != y: x //= 2; y <<= 1
    assert x, f"{x=} {y!r:>{8} {{}}"
    return f(*a, q=1, **m)[0].T.to(tl.float32)
