// RUN: nereid-emit %s | FileCheck %s

// The seed becomes a tensor where it is known that numbers are drawn, outside of the operator; a case that draws
// nothing does not take it.

// CHECK: @triton.jit(do_not_specialize=["stream"])
// CHECK-LABEL: def noise_kernel(out_ptr, seed_ptr, stream):
// CHECK: seed = tl.load(seed_ptr)
// CHECK: _rand(seed, (tl.cast(stream, tl.int64) << 42) + offsets)


// CHECK: def _noise_case1(x: torch.Tensor, training: bool, seed: torch.Tensor) -> torch.Tensor:
// CHECK: _check_tensor("seed", seed, 0, torch.int64, x.device)
// CHECK: @_register("noise_case1_{{.*}}", _noise_case1
// CHECK: def _noise_case1_op(x, *_):
// CHECK: def _noise_case2(x: torch.Tensor, training: bool) -> torch.Tensor:
// CHECK-NOT: seed
// CHECK: def _noise_case2_op(x, *_):
// CHECK: def _noise(
// CHECK: seed: torch.Tensor | int | None
// CHECK-NOT: "seed"
// CHECK: if training != 0:
// CHECK: _noise_case1,{{[[:space:]]+}}_noise_case1_op,{{[[:space:]]+}}x,{{[[:space:]]+}}training,{{[[:space:]]+}}_draw_seed(seed, x.device)
// CHECK: _call(_noise_case2, _noise_case2_op, x, training)
// CHECK: def noise(x, training, *, seed=None):
// CHECK: _noise(x, training, seed)
//
// CHECK-LABEL: def _draw_seed(seed, device):
// CHECK: return torch.randint(2**63 - 1, (), dtype=torch.int64, device=device)

func.func @noise_kernel(%out: !tile.ptr<f32> {tile.name = "out_ptr"}, %s: !tile.ptr<i64> {tile.name = "seed_ptr"},
                        %stream: i32 {tile.name = "stream"})
    attributes {tile.kernel, tile.meta = [], tile.configs = [#tile.config<{}, 4, 3>]} {
  %wide = arith.extsi %stream : i32 to i64
  %distance = arith.constant 42 : i64
  %first = arith.shli %wide, %distance : i64
  %range = tile.range 0 : tensor<8xi32>
  %places = arith.extsi %range : tensor<8xi32> to tensor<8xi64>
  %firsts = tile.splat %first : i64 -> tensor<8xi64>
  %offsets = arith.addi %firsts, %places : tensor<8xi64>
  %seed = tile.load %s : !tile.ptr<i64> -> i64
  %u = tile.random shared_uniform %seed, %offsets : tensor<8xi64> -> tensor<8xf32>
  %pointers = tile.splat %out : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %targets = tile.addptr %pointers, %range : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %targets, %u : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  return
}

func.func @noise_case1(%x: !host.tensor<[8] x f32, [1]> {host.name = "x"}, %training: i1 {host.name = "training"},
                       %s: !host.tensor<[] x i64, []> {host.name = "seed", host.seed}) -> !host.tensor<[8] x f32, [1]>
    attributes {host.program, host.given = #sym.pred<"training != 0">,
                host.symbols = [#host.symbol<"training", value, 1, 0>]} {
  %out = host.empty -> !host.tensor<[8] x f32, [1]>
  %stream = host.size <3>
  host.launch @noise_kernel grid [#sym.expr<1>](%out, %s, %stream) meta {} : !host.tensor<[8] x f32, [1]>, !host.tensor<[] x i64, []>, i64
  return %out : !host.tensor<[8] x f32, [1]>
}

func.func @noise_case2(%x: !host.tensor<[8] x f32, [1]> {host.name = "x"}, %training: i1 {host.name = "training"},
                       %s: !host.tensor<[] x i64, []> {host.name = "seed", host.seed, host.undrawn}) -> !host.tensor<[8] x f32, [1]>
    attributes {host.program, host.given = #sym.pred<"training == 0">,
                host.symbols = [#host.symbol<"training", value, 1, 0>]} {
  %zero = arith.constant 0.0 : f64
  %out = host.full %zero : f64 -> !host.tensor<[8] x f32, [1]>
  return %out : !host.tensor<[8] x f32, [1]>
}

func.func @noise(%x: !host.tensor<[8] x f32, [1]> {host.name = "x"}, %training: i1 {host.name = "training"},
                 %s: !host.tensor<[] x i64, []> {host.name = "seed", host.seed}) -> !host.tensor<[8] x f32, [1]>
    attributes {host.program, host.signature = ["x", "training", "*", "seed=None"], host.result = "{0}",
                host.symbols = [#host.symbol<"training", value, 1, 0>]} {
  host.dispatch [#sym.pred<"training != 0">, #sym.pred<"training == 0">] [@noise_case1, @noise_case2]
}
