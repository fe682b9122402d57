// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The helper of files whose launches are replayed as CUDA graphs (`nereid convert --cuda-graph`).
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nereid::emit {

inline constexpr llvm::StringLiteral cudaGraphText = R"py(class _Graph:
    """The launches of a program for arguments of one kind, as a CUDA graph.

    It reads the module's tensors where they are, and others from copies.
    """

    def __init__(self, direct, arguments):
        with torch.inference_mode(False), torch.no_grad():
            moved = [x.clone() if _is_input(x) else x for x in arguments]
            direct(*moved)  # Compiles and tunes for the copies.
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph, capture_error_mode="thread_local"):
                self.results = direct(*moved)
        self.inputs = [(n, x) for n, x in enumerate(moved) if _is_input(x)]

    def replay(self, arguments):
        with torch.no_grad():
            for place, x in self.inputs:
                x.copy_(arguments[place])
            self.graph.replay()
            if isinstance(self.results, torch.Tensor):
                return self.results.clone()
            return tuple(x.clone() for x in self.results)


_graphs, _graph_lock = OrderedDict(), threading.Lock()


def _is_input(x):
    """Whether a graph reads a copy of an argument: it is no tensor of a module."""
    return isinstance(x, torch.Tensor) and not isinstance(x, torch.nn.Parameter)


def _kind_of(x):
    """What a graph takes for granted of an argument."""
    if isinstance(x, torch.Tensor):
        place = x.get_device() if _is_input(x) else x.data_ptr()
        return place, x.dtype, x.shape, x.stride()
    if isinstance(x, tuple) and any(isinstance(y, torch.Tensor) for y in x):
        return tuple([(y.data_ptr(), y.dtype, y.shape, y.stride()) for y in x])
    return repr(x)


def _replay(direct, arguments):
    """Launches: at the second call with arguments of a kind, and from then on, as a CUDA graph.

    The last 16 kinds are known.
    """
    tensors = [x for x in arguments if isinstance(x, torch.Tensor)]
    is_plain = {*map(type, tensors)} <= {torch.Tensor, torch.nn.Parameter}
    if not tensors or not tensors[0].is_cuda or not is_plain:
        return direct(*arguments)
    if torch.cuda.is_current_stream_capturing() or torch._C._len_torch_dispatch_stack():
        return direct(*arguments)
    device = tensors[0].get_device()
    stream = torch._C._cuda_getCurrentRawStream(device)
    precision = torch.backends.cudnn.allow_tf32
    key = direct, device, stream, precision, *map(_kind_of, arguments)
    with _graph_lock, torch.cuda.device(device):
        graph = _graphs.get(key)
        if graph is not None:
            return graph.replay(arguments)
        is_new = key not in _graphs
        _graphs[key] = None if is_new else _Graph(direct, arguments)
        if len(_graphs) > 16:
            _graphs.popitem(last=False)
        return direct(*arguments) if is_new else _graphs[key].replay(arguments)
)py";

} // namespace nereid::emit
