import triton, triton.language as tl
from . import (a as b, c,)
A: tl.constexpr = B = 3; C, D = 1, 2
try:
    X = {1: lambda y=2: y}
except E as e:
    Y = 3j
@dec(x)
class K: pass
async def g(): await h
with a as b:
    match x:
        case 1: pass
