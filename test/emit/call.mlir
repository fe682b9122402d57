// RUN: nereid-emit %s | FileCheck %s

// A call that is left to PyTorch is written as the user wrote it, under a word that says so.
// CHECK: Left to PyTorch:
// CHECK-NEXT: Tensor.sort (rows.py:3)
// CHECK: with torch.cuda.device_of(x), torch.autocast(x.device.type, enabled=False):
// CHECK: # Left to PyTorch (rows.py:3).
// CHECK: sort0, sort1 = _torch_results(
// CHECK: x.t().sort(dim=-1, descending=n > 3)
// CHECK: (torch.float32, (N, M)),
// CHECK: (torch.int64, (N, M)),
// CHECK: return sort0, sort1
// CHECK: def _torch_results(
// CHECK-NOT: def _torch_gradients(
func.func @rows(%x: !host.tensor<[M, N] x f32, [a, b]> {host.name = "x"}, %n: i64 {host.name = "n"})
    -> (!host.tensor<[N, M] x f32, [M, 1]>, !host.tensor<[N, M] x i64, [M, 1]>)
    attributes {host.program, host.result = "({0}, {1})", host.symbols = [#host.symbol<"M", size, 0, 0>, #host.symbol<"N", size, 0, 1>, #host.symbol<"a", stride, 0, 0>, #host.symbol<"b", stride, 0, 1>]} {
  %t = host.view %x offset <0> : !host.tensor<[M, N] x f32, [a, b]> -> !host.tensor<[N, M] x f32, [b, a]>
  %v, %i = host.call "Tensor.sort" ["{0}", "dim=-1", "descending={1:n} > 3"] (%t, %n) : (!host.tensor<[N, M] x f32, [b, a]>, i64) -> (!host.tensor<[N, M] x f32, [M, 1]>, !host.tensor<[N, M] x i64, [M, 1]>) loc("rows.py":3:5)
  return %v, %i : !host.tensor<[N, M] x f32, [M, 1]>, !host.tensor<[N, M] x i64, [M, 1]>
}
