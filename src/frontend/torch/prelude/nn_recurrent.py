# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn: recurrent layers and their cells."""


def _zeros(input, *sizes):
    return torch.zeros(*sizes, dtype=input.dtype)


class RNNBase(nn.Module):
    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        if not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if input_size <= 0 or hidden_size <= 0 or num_layers <= 0:
            raise ValueError("input_size, hidden_size and num_layers must be greater than zero")
        if proj_size < 0 or proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size, and not negative")
        gates = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}[mode] * hidden_size
        width = proj_size if proj_size > 0 else hidden_size
        directions = 2 if bidirectional else 1
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[:directions]:
                entering = input_size if layer == 0 else width * directions
                sizes = {"weight_ih": (gates, entering), "weight_hh": (gates, width)}
                if bias:
                    sizes.update({"bias_ih": (gates,), "bias_hh": (gates,)})
                if proj_size > 0:
                    sizes["weight_hr"] = (proj_size, hidden_size)
                names = [f"{name}_l{layer}{suffix}" for name in sizes]
                for name, size in zip(names, sizes.values()):
                    setattr(self, name, nn.Parameter(torch.empty(size, dtype=dtype)))
                self._all_weights.append(names)
        self.reset_parameters()

    # Parameters are arguments of a converted program: their first values do not matter.
    def reset_parameters(self):
        pass

    def flatten_parameters(self):
        pass

    @property
    def all_weights(self):
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _first_state(self, input, width):
        directions = 2 if self.bidirectional else 1
        return _zeros(input, self.num_layers * directions, input.shape[0 if self.batch_first else 1], width)

    def _run(self, function, input, hx, widths):
        """The outputs, and the states behind the last turn, as many as there are widths."""
        if input.dim() not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched = input.dim() == 3
        if input.dtype != getattr(self, self._all_weights[0][0]).dtype and not torch.is_autocast_enabled():
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype")
        if not prims.match((input.shape[-1],), (self.input_size,)):
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}")
        input = input if batched else input.unsqueeze(0 if self.batch_first else 1)
        if hx is None:
            hx = [self._first_state(input, width) for width in widths]
        else:
            for state in hx:
                if state.dim() != (3 if batched else 2):
                    raise RuntimeError(f"hidden states have as many dimensions as the input, got {state.dim()}-D tensors")
            hx = hx if batched else [state.unsqueeze(1) for state in hx]
        weights = sum(self.all_weights, [])
        state = tuple(hx) if len(widths) > 1 else hx[0]
        output, *last = function(input, state, weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
        if not batched:
            output, last = output.squeeze(0 if self.batch_first else 1), [state.squeeze(1) for state in last]
        return output, last


class RNN(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", *arguments, **options):
        if "proj_size" in options:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers, *arguments, **options)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        function = torch.rnn_tanh if self.mode == "RNN_TANH" else torch.rnn_relu
        output, last = self._run(function, input, None if hx is None else [hx], [self.hidden_size])
        return output, last[0]


class LSTM(RNNBase):
    def __init__(self, *arguments, **options):
        super().__init__("LSTM", *arguments, **options)

    def forward(self, input, hx=None):
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        output, last = self._run(torch.lstm, input, hx, [width, self.hidden_size])
        return output, tuple(last)


class GRU(RNNBase):
    def __init__(self, *arguments, **options):
        if "proj_size" in options:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *arguments, **options)

    def forward(self, input, hx=None):
        output, last = self._run(torch.gru, input, None if hx is None else [hx], [self.hidden_size])
        return output, last[0]


class RNNCellBase(nn.Module):
    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias

        def parameter(*sizes):
            return nn.Parameter(torch.empty(num_chunks * hidden_size, *sizes, dtype=dtype))

        self.weight_ih = parameter(input_size)
        self.weight_hh = parameter(hidden_size)
        self.bias_ih = parameter() if bias else None
        self.bias_hh = parameter() if bias else None
        self.reset_parameters()

    # Parameters are arguments of a converted program: their first values do not matter.
    def reset_parameters(self):
        pass

    def _run(self, function, input, hx, count):
        """The new states, `count` of them."""
        if input.dim() not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        batched = input.dim() == 2
        input = input if batched else input.unsqueeze(0)
        if hx is None:
            hx = [_zeros(input, input.shape[0], self.hidden_size)] * count
        else:
            for state in hx:
                if state.dim() not in (1, 2):
                    raise ValueError(f"{type(self).__name__}: Expected hidden to be 1D or 2D, got {state.dim()}D instead")
            hx = hx if batched else [state.unsqueeze(0) for state in hx]
        state = tuple(hx) if count > 1 else hx[0]
        result = function(input, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        result = result if count > 1 else (result,)
        return result if batched else tuple([state.squeeze(0) for state in result])


class RNNCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        function = torch.rnn_tanh_cell if self.nonlinearity == "tanh" else torch.rnn_relu_cell
        return self._run(function, input, None if hx is None else [hx], 1)[0]


class LSTMCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        return self._run(torch.lstm_cell, input, hx, 2)


class GRUCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._run(torch.gru_cell, input, None if hx is None else [hx], 1)[0]
