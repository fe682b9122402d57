// RUN: nereid-emit %s --source model.py --program Scale -o %t.py
// RUN: FileCheck %s < %t.py
// RUN: %root/.venv/bin/python %root/test/outside/check_file.py %t.py %S/Inputs/originals.py Scale --init 5 --case x=f32[3,5] --case x=f32[0,5]

// A class keeps the original's constructor and gives its parameters to the host program.
!i = tensor<256xi32, #tile.dims<["BLOCK"]>>
!f = tensor<256xf32, #tile.dims<["BLOCK"]>>
!m = tensor<256xi1, #tile.dims<["BLOCK"]>>
!p = tensor<256x!tile.ptr<f32>, #tile.dims<["BLOCK"]>>

func.func @scale_kernel(%x: !tile.ptr<f32> {tile.name = "x_ptr"}, %w: !tile.ptr<f32> {tile.name = "weight_ptr"},
                        %y: !tile.ptr<f32> {tile.name = "y_ptr"}, %n: i32 {tile.name = "n"}, %d: i32 {tile.name = "D"},
                        %alpha: f32 {tile.name = "alpha"})
    attributes {tile.kernel, tile.meta = ["BLOCK"], tile.configs = [#tile.config<{BLOCK = 256 : i64}, 4, 3>]} {
  %pid = tile.program_id 0
  %b = tile.meta "BLOCK" = 256 : i32
  %base = arith.muli %pid, %b : i32
  %bases = tile.splat %base : i32 -> !i
  %r = tile.range 0 : !i
  %i = arith.addi %bases, %r : !i
  %ns = tile.splat %n : i32 -> !i
  %mask = arith.cmpi slt, %i, %ns : !i
  %ds = tile.splat %d : i32 -> !i
  %col = arith.remsi %i, %ds : !i
  %xs = tile.splat %x : !tile.ptr<f32> -> !p
  %xp = tile.addptr %xs, %i : !p, !i
  %zero = arith.constant dense<0.0> : !f
  %xv = tile.load %xp mask %mask : !m other %zero : !f : !p -> !f
  %ws = tile.splat %w : !tile.ptr<f32> -> !p
  %wp = tile.addptr %ws, %col : !p, !i
  %wv = tile.load %wp mask %mask : !m other %zero : !f : !p -> !f
  %as = tile.splat %alpha : f32 -> !f
  %xw = arith.mulf %xv, %wv : !f
  %s = arith.mulf %xw, %as : !f
  %ys = tile.splat %y : !tile.ptr<f32> -> !p
  %yp = tile.addptr %ys, %i : !p, !i
  tile.store %yp, %s mask %mask : !m : !p, !f
  return
}

// CHECK-LABEL: def _scale_forward(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
// CHECK: _check_shape("weight", weight, (D,))
// CHECK: out = weight.new_empty((B, D))
// CHECK: if B > 0 and D > 0:
func.func @scale_forward(%w: !host.tensor<[D] x f32, [1]> {host.name = "weight"},
                         %x: !host.tensor<[B, D] x f32, [D, 1]> {host.name = "x"}) -> !host.tensor<[B, D] x f32, [D, 1]>
    attributes {host.program, host.symbols = [#host.symbol<"B", size, 1, 0>, #host.symbol<"D", size, 1, 1>]} {
  %n = host.size <B*D>
  %d = host.size <D>
  %f = arith.sitofp %d : i64 to f64
  %alpha = math.rsqrt %f : f64
  %y = host.empty -> !host.tensor<[B, D] x f32, [D, 1]>
  host.launch @scale_kernel grid [#sym.expr<"cdiv(B*D, BLOCK)">] (%x, %w, %y, %n, %d, %alpha) meta {} :
    !host.tensor<[B, D] x f32, [D, 1]>, !host.tensor<[D] x f32, [1]>, !host.tensor<[B, D] x f32, [D, 1]>, i64, i64, f64
  return %y : !host.tensor<[B, D] x f32, [D, 1]>
}

// CHECK-LABEL: class Scale(nn.Module):
// CHECK-NEXT:    def __init__(self, size):
// CHECK:     def forward(self, x):
// CHECK:         return _call(_scale_forward, _scale_forward_op, self.blocks[0].weight, x)
host.module @Scale forward @scale_forward tree ["blocks.0.weight"]
  constructor "    def __init__(self, size):\0A        super().__init__()\0A        self.blocks = nn.ModuleList([nn.LayerNorm(size, bias=False)])\0A"
