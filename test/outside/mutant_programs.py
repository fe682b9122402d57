# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs whose emitted kernels mutants.py changes, and the inputs that judge them.

Sizes are odd and small, but each reaches more than one block, window or part of a split somewhere. Looped kernels run
with blocks lowered to `block`: one element more than whole blocks, and less than a block, are among the sizes.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Program:
    path: str
    #: Inputs over symbols, as cases.py reads them with numbers in place of the symbols.
    spec: str
    #: Values of the symbols, one set a case.
    sizes: tuple
    stage: int = 3
    backward: bool = True
    #: The module is judged in training mode too, with the buffers that it leaves.
    training: bool = False
    #: What inputs must be, by name: `positive`, or different indices below a symbol, some counted from the end.
    domains: dict = dataclasses.field(default_factory=dict, hash=False)
    #: Patterns of values: `special` has infinities and NaN, `masked` -inf in half of the places and in the first half of
    #: the first row, `ties` whole numbers, `offset` a mean far from 0. Those
    #: from the fifth on are run at the smaller sizes too.
    patterns: tuple = ("normal", "tiny", "wide", "special")
    block: int = 8
    #: Sizes that reach more than one part of a split, for the file as it is.
    large: tuple = ()
    #: The same for its lowered form.
    long: tuple = ()
    #: Arguments that are numbers, other than the defaults: a factor of 1 that is dropped is not seen. Of a tuple the cases
    #: take one each.
    numbers: dict = dataclasses.field(default_factory=dict, hash=False)
    #: Whether all of its mutants are noticed or known to be equivalent; the tests take these programs alone.
    is_settled: bool = False

    def name(self):
        stem = self.path.rsplit("/", 1)[1].removesuffix(".py")
        return stem if self.stage == 3 else f"{stem}.{self.stage}"

    def place(self, pattern):
        return ("signs", *self.patterns).index(pattern)

    def choose_numbers(self, pattern, is_spread):
        place = self.place(pattern) + is_spread
        return {
            name: choice[place % len(choice)] if isinstance(choice, tuple) else choice
            for name, choice in self.numbers.items()
        }


def sizes(**by_name):
    """sizes(M=[5, 3], N=[37, 1]) is {M: 5, N: 37} and {M: 3, N: 1}."""
    return tuple(dict(zip(by_name, values, strict=True)) for values in zip(*by_name.values(), strict=True))


MASKED = ("normal", "tiny", "wide", "special", "masked")
KINKS = ("normal", "tiny", "wide", "special", "ties")
FINITE = ("normal", "tiny", "wide", "ties")
NORMS = ("normal", "tiny", "offset", "special")
PLAIN = ("normal", "tiny", "ties")
#: Nine parts of a split, the last of 513 elements.
PARTS = sizes(M=[257], N=[257])
ROWS = sizes(M=[9, 5, 2], N=[33, 6, 1])
#: All numbers of a launch even: kernels count on what divides them.
EVEN_TOO = sizes(M=[9, 5, 2, 4], N=[33, 6, 1, 16])

PROGRAMS = (
    # Maps.
    Program("examples/scaled_bias_relu.py", "x=f32[M,N],bias=f32[N]", ROWS, patterns=KINKS, is_settled=True),
    Program("examples/gelu_tanh.py", "x=f32[M,N]", ROWS, is_settled=True),
    Program("examples/huber.py", "prediction=f32[N],target=f32[N]", sizes(N=[1500, 37, 1]), patterns=KINKS, numbers={"delta": (2.0, 0.01)}, is_settled=True),
    Program(
        "examples/adam_step.py", "param=f32[N],grad=f32[N],m=f32[N],v=f32[N]", sizes(N=[1500, 37, 1]),
        domains={"v": "positive"}, stage=2, patterns=PLAIN, numbers={"beta1": (0.9, 1e-6, 0.999999)}, is_settled=True,
    ),  # fmt: skip
    # Halves.
    Program("examples/geglu.py", "gate=f16[M,N],value=f16[M,N]", EVEN_TOO, patterns=FINITE, is_settled=True),
    Program("examples/rms_norm.py", "x=bf16[M,N],weight=bf16[N]", ROWS, patterns=FINITE, is_settled=True),
    # Row folds and online forms.
    Program("examples/softmax.py", "x=f32[M,N]", ROWS, patterns=MASKED, is_settled=True),
    Program("examples/row_statistics.py", "x=f32[M,N]", sizes(M=[9, 5, 2], N=[33, 6, 2]), patterns=("normal", "offset", "wide", "special", "ties"), is_settled=True),
    Program("examples/layer_norm_residual.py", "x=f32[M,N],residual=f32[M,N],weight=f32[N],bias=f32[N]", ROWS, patterns=NORMS, is_settled=True),
    Program(
        "examples/layer_norm_residual.py", "x=f32[M,N],residual=f32[M,N],weight=f32[N],bias=f32[N]", ROWS, stage=1, patterns=NORMS, large=sizes(M=[3], N=[700]), is_settled=True,
    ),
    Program("examples/kl_divergence.py", "p_logits=f32[M,N],q_logits=f32[M,N]", ROWS, is_settled=True),
    Program("examples/entropy.py", "logits=f32[M,N]", ROWS, stage=2, is_settled=True),
    Program("examples/cosine_similarity.py", "a=f32[M,N],b=f32[M,N]", ROWS, patterns=FINITE, numbers={"eps": 0.5}, is_settled=True),
    # Folds over other axes, splits, span kernels.
    Program("examples/column_sums.py", "x=f32[M,N]", sizes(M=[257, 5, 6], N=[9, 65, 16]), is_settled=True),
    Program("examples/min_max_scale.py", "x=f32[M,N]", sizes(M=[577, 5], N=[9, 65]), long=sizes(M=[2100], N=[3]), patterns=FINITE, is_settled=True),
    Program("examples/mse.py", "prediction=f32[M,N],target=f32[M,N]", sizes(M=[29, 5, 1], N=[97, 3, 1]), large=PARTS, long=PARTS, patterns=("normal", "wide", "special"), is_settled=True),
    Program("examples/squeeze_gate.py", "x=f32[B,32,H,W]", sizes(B=[2, 9], H=[7, 1], W=[7, 3]), is_settled=True),
    Program("test/programs/batch_norm_in_training.py", "x=f32[B,8,H,W]", sizes(B=[3, 2], H=[7, 1], W=[7, 3]), training=True, patterns=NORMS, large=sizes(B=[9], H=[61], W=[61])),
    Program("examples/group_norm_silu.py", "x=f32[B,32,H,W],temb=f32[B,32]", sizes(B=[9, 2], H=[7, 1], W=[7, 3]), backward=False, patterns=NORMS),
    # Tiles and views.
    Program("examples/nchw_to_nhwc.py", "x=f32[B,C,H,W]", sizes(B=[2, 1], C=[17, 3], H=[9, 1], W=[9, 2]), is_settled=True),
    Program("examples/rotary_embedding.py", "q=f32[B,T,D],k=f32[B,T,D],cos=f32[T,D],sin=f32[T,D]", sizes(B=[9, 1, 2], T=[7, 5, 6], D=[34, 2, 12]), is_settled=True),
    Program("examples/total_variation.py", "image=f32[B,H,W]", sizes(B=[3, 9], H=[11, 5], W=[12, 4]), large=sizes(B=[2], H=[2], W=[20000]), patterns=KINKS, is_settled=True),
    # Gathers, scatters.
    Program("examples/embedding_lookup.py", "ids=i64[B,T]<1000", sizes(B=[2, 1], T=[64, 3]), backward=False, is_settled=True),
    Program(
        "examples/scatter_rows.py", "cache=f32[S,D],slots=i64[K]<S,keys=f32[K,D]", sizes(S=[50, 9], D=[17, 3], K=[20, 4]), backward=False,
        domains={"slots": "S"}, patterns=FINITE, is_settled=True,
    ),  # fmt: skip
    Program(
        "examples/message_passing.py", "nodes=f32[V,D],edges=i64[2,E]<V,weight=f32[E]", sizes(V=[20, 9], D=[7, 3], E=[61, 2100]), patterns=PLAIN, backward=False,
        domains={"weight": "positive"},
    ),  # fmt: skip
    # Sorts and scans.
    Program("examples/nucleus_filter.py", "logits=f32[M,N]", sizes(M=[3, 1], N=[37, 2100]), patterns=("normal", "tiny")),
    Program("examples/trimmed_mean.py", "x=f32[M,N]", sizes(M=[33, 2100], N=[5, 2]), patterns=("normal", "tiny", "wide")),
    Program("examples/cumulative_mean.py", "x=f32[M,N]", ROWS, is_settled=True),
    Program("examples/log_evidence.py", "score=f32[M,N]", ROWS, patterns=("normal", "tiny", "wide", "masked", "ties")),
    Program("examples/gated_recurrence.py", "gate=f32[B,S,D],x=f32[B,T,D]", sizes(B=[3, 1], S=[23, 2], T=[21, 2], D=[5, 3]), is_settled=True),
    # Pooling, losses.
    Program("test/programs/max_pool_ties.py", "x=f32[B,3,H,W]", sizes(B=[2, 1], H=[7, 2], W=[5, 3]), patterns=KINKS, is_settled=True),
    Program("test/programs/power_pooling.py", "x=f32[B,C,H,W]", sizes(B=[2, 1], C=[3, 2], H=[8, 5], W=[7, 4]), patterns=FINITE, is_settled=True),
    Program(
        "examples/ppo_loss.py", "logp=f32[M,N],old_logp=f32[M,N],advantage=f32[M,N],mask=bool[M,N]", sizes(M=[11, 2], N=[37, 3]),
        patterns=PLAIN, large=PARTS, long=PARTS,
    ),  # fmt: skip
    Program("examples/log_softmax_nll.py", "logits=f32[M,N],targets=i64[M]<N", ROWS, patterns=MASKED, is_settled=True),
    Program("examples/triplet_loss.py", "anchor=f32[M,N],positive=f32[M,N],negative=f32[M,N]", sizes(M=[9, 2], N=[21, 3]), patterns=PLAIN, is_settled=True),
)  # fmt: skip
