# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions for table.py: every pairing of axes, type, size and spelling that PyTorch has."""

NUMBERS = ["f32", "f64", "f16", "bf16", "i64", "i32", "u8"]

# Of matrices of 3 by 4 and 4 by 5 and a vector of 4, in every type.
MATRICES = """
x @ y | torch.mm(x, y) | x.matmul(y) | torch.linalg.matmul(x, y) | x @ z | z @ y | x.mv(z) | torch.matmul(z, z) | torch.dot(z, z) | torch.vdot(z, z) | x.__matmul__(y) | y.__rmatmul__(x) | x.inner(z)
F.linear(x, y.T) | F.linear(x, x, x[:, 0]) | F.linear(z, x) | F.linear(x, z) | torch.inner(x, x) | torch.tensordot(x, y, 1) | torch.tensordot(x, x, 2) | torch.tensordot(x, x, ([1, 0], [1, 0])) | torch.tensordot(x, x, dims=0) | torch.tensordot(x, y, ([-1], [0]))
torch.addmm(x @ y, x, y) | torch.addmm(x[:, :1], x, y, beta=2, alpha=3) | (x @ y).addmm(x, y, beta=0) | torch.addmv(x[:, 0], x, z) | torch.addmv(x[:, 0], x, z, beta=3, alpha=2) | torch.addr(x, x[:, 0], z, beta=2) | torch.chain_matmul(x, y, y.T, x.T) | torch.linalg.multi_dot([z, y, y.T, z]) | torch.linalg.multi_dot((x, y))
torch.einsum('ij,jk->ik', x, y) | torch.einsum('ij,jk', x, y) | torch.einsum('ij,kj->', x, x) | torch.einsum('ij,jk,kl->il', x, y, y.T) | torch.einsum('ij,kj,lj->ikl', x, x, x) | torch.einsum('i,j,k->ijk', z, z, z) | torch.einsum('ij,i->j', x, x[:, 0]) | torch.einsum('...j,jk->...k', x, y) | torch.einsum([x, y][0], [0, 1], y, [1, 2], [0, 2]) | torch.einsum(x, [..., 0], y, [0, 3]) | torch.einsum('jk,ij', y, x)
torch.einsum('ij,ij->ij', x, x) | torch.einsum('ii->i', x[:, :3]) | torch.einsum('ii', x[:, :3]) | torch.einsum('ii,ij->j', x[:, :3], x) | torch.einsum(' i j , j k -> k i ', [x, y]) | torch.einsum('ij,k->ki', x, z) | torch.einsum('ij->ji', x) | torch.einsum('ij->j', x)
x.T @ x | torch.kron(x, y) | torch.outer(z, z) | (x.unsqueeze(0) @ y) | torch.matmul(x, y.expand(2, 3, 4, 5)) | x.expand(2, 3, 4) @ y | torch.bmm(x[None], y[None]) | x.tril() @ y.triu() | torch.diag(z) @ y | x @ torch.eye(4, dtype=x.dtype)
torch.matrix_power(x[:, :3], 3) | torch.linalg.matrix_power(x[:, :3], 5) | x[:, :3].matrix_power(0) | x[:, :3].matrix_power(1) | x[:, 1:2] @ y[1:2] | x[:0] @ y | x[:, :0] @ y[:0] | x @ y[:, :0] | x[:, ::2] @ y[::2]
"""

# Of batches: 2 by 3 by 4, and 2 by 4 by 5.
BATCHES = """
torch.bmm(x, y) | x @ y | x.bmm(y) | torch.baddbmm(x @ y, x, y) | torch.baddbmm((x @ y)[0, 0], x, y, beta=2, alpha=3) | torch.addbmm(x[0] @ y[0], x, y) | torch.addbmm(y[0, :1], x, y, beta=2, alpha=3) | (x @ y).baddbmm(x, y, beta=0)
torch.einsum('bij,bjk->bik', x, y) | torch.einsum('bij,bjk->kbi', x, y) | torch.einsum('bij,bjk->ik', x, y) | torch.einsum('b...j,bj...->b', x, y) | torch.einsum('bhi,bhj->bij', x, x) | torch.tensordot(x, y, ([0, 2], [0, 1])) | x[:, None] @ y | x @ y[0] | x[0] @ y | x @ y[0, :, 0] | x[0, 0] @ y
F.linear(x, x[0]) | F.linear(x, x[0], x[0, :, 0]) | F.linear(x.transpose(1, 2), y[0, :3, :3]) | torch.inner(x, x) | x.mT @ x | F.bilinear(x, x, x[:, :1].transpose(1, 2) * x[:, :1]) | torch.bilinear(x[0], x[0], x[:, :1].transpose(1, 2) * x[:, :1], x[:, 0, 0]) | x[:0] @ y[:0]
"""

OTHERS = [
    ("(x @ y).T @ x", ["f64[3,4]", "f64[4,5]"]),
    ("x @ y", ["f32[3,4]", "f64[4,5]"]),
    ("x @ y", ["f16[3,4]", "bf16[4,5]"]),
    ("x @ y", ["i64[3,4]", "f32[4,5]"]),
    ("x @ y", ["bool[3,4]", "bool[4,5]"]),
    ("x @ y", ["f32[3,4]", "f32[3,4]"]),
    ("x @ y", ["f32[3,1]", "f32[3,4]"]),
    ("x @ y", ["f32[]", "f32[3]"]),
    ("torch.mm(x, y)", ["f32[2,3,4]", "f32[4,5]"]),
    ("torch.bmm(x, y)", ["f32[1,3,4]", "f32[2,4,5]"]),
    ("torch.bmm(x, y)", ["f32[2,3,4]", "f32[4,5]"]),
    ("torch.mv(x, y)", ["f32[3,4]", "f32[4,1]"]),
    ("torch.dot(x, y)", ["f32[3]", "f16[3]"]),
    ("torch.dot(x, y)", ["bool[3]", "bool[3]"]),
    ("F.linear(x, y)", ["f32[3,4]", "f32[4,5]"]),
    ("F.linear(x, y, z)", ["f32[3,4]", "f32[5,4]", "f64[5]"]),
    ("torch.addmm(x, y, z)", ["f64[3,5]", "f32[3,4]", "f32[4,5]"]),
    ("torch.addmm(x, y, z)", ["f32[2,3,5]", "f32[3,4]", "f32[4,5]"]),
    ("torch.addmm(x.detach() / 0, y, z, beta=0)", ["f32[3,5]", "f32[3,4]", "f32[4,5]"]),
    ("torch.addmm(x, y, z, alpha=1.7, beta=0.5)", ["i32[3,5]", "i32[3,4]", "i32[4,5]"]),
    ("x.addmm_(y, z, beta=0.5, alpha=2)\nx", ["f32[3,5]", "f32[3,4]", "f32[4,5]"]),
    ("x.addmv_(y, z)\nx", ["f32[3]", "f32[3,4]", "f32[4]"]),
    ("x.addbmm_(y, z, beta=0.5)\nx", ["f32[3,5]", "f32[2,3,4]", "f32[2,4,5]"]),
    ("x.baddbmm_(y, z, alpha=0.5)\nx", ["f32[2,3,5]", "f32[2,3,4]", "f32[2,4,5]"]),
    ("x.addr_(y, z)\nx", ["f32[3,4]", "f32[3]", "f32[4]"]),
    ("out = torch.empty(3, 5)\ntorch.mm(x, y, out=out)\nout * 2", ["f32[3,4]", "f32[4,5]"]),
    ("out = torch.empty(3, 5)\ntorch.addmm(out * 0, x, y, out=out)\nout * 2", ["f32[3,4]", "f32[4,5]"]),
    ("x += x @ y\nx", ["f32[3,3]", "f32[3,3]"]),
    ("x[:, :2] @ y, x[::2].T @ z", ["f64[4,6]", "f64[2,5]", "f64[2,3]"]),
    ("torch.einsum('ij,jk->ik', x, y)", ["f32[3,4]", "f32[5,6]"]),
    ("torch.einsum('ij,jk->il', x, y)", ["f32[3,4]", "f32[4,6]"]),
    ("torch.einsum('ij,jk->iik', x, y)", ["f32[3,4]", "f32[4,6]"]),
    ("torch.einsum('ij,jk', x)", ["f32[3,4]"]),
    ("torch.einsum('ijk', x)", ["f32[3,4]"]),
    ("torch.einsum('ij,jk->ik', x, y)", ["f32[3,4]", "f64[4,6]"]),
    ("torch.einsum('ij,ij->ij', x, y)", ["f32[3,4]", "f64[3,4]"]),
    ("torch.einsum('ij,ij->i', x, y)", ["bool[3,4]", "bool[3,4]"]),
    ("torch.einsum('ij,ij->ij', x, y)", ["bool[3,4]", "bool[3,4]"]),
    ("torch.einsum('ij,jk->ik', x, y)", ["f32[3,1]", "f32[4,5]"]),
    ("torch.einsum('i...,i...->...', x, y)", ["f32[2,3,4]", "f32[2,4]"]),
    ("torch.einsum('i...j,jk->ik...', x, y), torch.einsum('i...j,jk->ik', x, y)", ["f64[2,5,3]", "f64[3,4]"]),
    ("torch.einsum('bhid,bhjd->bhij', x, y)", ["f64[2,3,4,5]", "f64[2,3,6,5]"]),
    ("torch.einsum('bn,anm,bm->ba', x, y, x)", ["f64[2,5]", "f64[3,5,5]"]),
    ("torch.einsum('ijij->j', x), torch.einsum('iij,j->i', x[:2, :2, :3, 0], y)", ["f64[2,3,2,3]", "f64[3]"]),
    ("torch.einsum(x, [0, 60], [0])", ["f32[3,4]"]),
    ("torch.tensordot(x, y, ([0], [0, 1]))", ["f32[3,4]", "f32[3,4]"]),
    ("torch.tensordot(x, y, 1)", ["f32[3,4]", "f32[3,4]"]),
    ("torch.inner(x, y)", ["f32[3,4]", "f32[5]"]),
    ("torch.inner(x, y), torch.inner(y, x)", ["f32[3,4]", "f32[]"]),
    ("F.bilinear(x, y, z, w)", ["f64[3,4]", "f64[3,5]", "f64[6,4,5]", "f64[6]"]),
    ("F.bilinear(x, y, z)", ["f64[2,3,4]", "f64[2,3,5]", "f64[6,4,5]"]),
    ("F.bilinear(x, y, z)", ["f64[2,3,4]", "f64[3,5]", "f64[6,4,5]"]),
    ("torch.linalg.matrix_power(x, 4), torch.matrix_power(x, 2), x.matrix_power(7)", ["f64[2,3,3]"]),
    ("torch.matrix_power(x, 2)", ["f64[2,3]"]),
    ("torch.linalg.multi_dot([x])", ["f64[3,3]"]),
    ("torch.linalg.multi_dot([x, y, x])", ["f64[3]", "f64[3,3]"]),
    ("torch.linalg.vecdot(x, y), torch.linalg.vecdot(x, y, dim=0)", ["f64[3,4]", "f64[3,4]"]),
    (
        "torch.ops.aten.mm(x, y), torch.ops.aten.linear(x, y.t()), torch.ops.aten.bmm(x[None], y[None])",
        ["f64[3,4]", "f64[4,5]"],
    ),
    (
        "torch.cdist(x, y), torch.cdist(x, y, p=1), torch.cdist(x, y, 0.5), torch.cdist(x, y, 1.5), torch.cdist(x, y, 3), torch.cdist(x, y, 0), torch.cdist(x, y, float('inf'))",
        ["f64[3,4]", "f64[5,4]"],
    ),
    ("torch.cdist(x, y), torch.cdist(x[0], y, 3.5)", ["f64[2,3,4]", "f64[1,5,4]"]),
    ("torch.cdist(x, x.detach()), torch.cdist(x, x.detach(), 3.0), torch.cdist(x, x.detach(), 1.5)", ["f64[3,4]"]),
    ("torch.cdist(x.round(), y.round(), float('inf'))", ["f64[3,4]", "f64[5,4]"]),
    ("torch.cdist(x, y, -1)", ["f64[3,4]", "f64[5,4]"]),
    ("torch.cdist(x, y)", ["f64[3,4]", "f64[5,3]"]),
    ("torch.cdist(x, y)", ["i64[3,4]", "i64[5,4]"]),
    (
        "F.pdist(x), torch.pdist(x, 1), F.pdist(x, 0.5), F.pdist(x, 1.5), F.pdist(x, 3), F.pdist(x, 0), F.pdist(x, float('inf'))",
        ["f64[5,4]"],
    ),
    ("F.pdist(x), F.pdist(x[:1])", ["f32[5,3]"]),
    ("F.pdist(x)", ["f64[2,5,4]"]),
    ("torch.nn.Linear(4, 5, bias=False)(x).shape[-1] * x", ["f32[3,4]"]),
]


def entries():
    found = []
    for text in MATRICES.replace("\n", "|").split("|"):
        if text.strip():
            found += [(text.strip(), [dtype + "[3,4]", dtype + "[4,5]", dtype + "[4]"]) for dtype in NUMBERS]
    for text in BATCHES.replace("\n", "|").split("|"):
        if text.strip():
            found += [(text.strip(), [dtype + "[2,3,4]", dtype + "[2,4,5]"]) for dtype in NUMBERS]
    return found + OTHERS
