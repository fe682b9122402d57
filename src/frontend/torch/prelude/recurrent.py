# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers as loops over time. What enters the gates from the input is one product for all times before the
loop; within it stands what depends on the state alone.

A step takes what enters the gates, the state (a tuple whose first tensor is the output) and its weights.

On a GPU PyTorch leaves layers to cuDNN, whose products of float32 are of TF32 where its convolutions are, and cells to
products of matrices, which are not. A product is of TF32 where both its factors are marked: turns mark their weights. What
enters the gates is as exact as float32 allows, which takes no longer."""


def _of_state(state, weight, bias=None):
    return F.linear(prims.tf32(state), weight, bias)


def _plain_step(activation):
    def step(entering, state, weight, bias, projection):
        return (activation(entering + _of_state(state[0], weight, bias)),)

    return step


def _lstm_step(entering, state, weight, bias, projection):
    hidden, cell = state
    input, forget, new, output = (entering + _of_state(hidden, weight, bias)).chunk(4, -1)
    cell = torch.sigmoid(forget) * cell + torch.sigmoid(input) * torch.tanh(new)
    hidden = torch.sigmoid(output) * torch.tanh(cell)
    return hidden if projection is None else _of_state(hidden, projection), cell


def _gru_step(entering, state, weight, bias, projection):
    hidden = state[0]
    reset, update, new = entering.chunk(3, -1)
    reset_of_state, update_of_state, new_of_state = _of_state(hidden, weight, bias).chunk(3, -1)
    new = torch.tanh(new + torch.sigmoid(reset + reset_of_state) * new_of_state)
    return (new + torch.sigmoid(update + update_of_state) * (hidden - new),)


_tanh_step, _relu_step = _plain_step(torch.tanh), _plain_step(torch.relu)


def _one_way(step, input, state, weights, has_biases, backwards):
    """One layer in one direction: its outputs, and the state behind the last turn."""
    input_weight, weight = weights[:2]
    input_bias, bias = weights[2:4] if has_biases else (None, None)
    projection = weights[-1] if len(weights) % 2 else None
    if has_biases and step is not _gru_step:
        # Both are added to the same sums.
        input_bias, bias = input_bias + bias, None
    entering = F.linear(input, input_weight, input_bias)

    def turn(entering, state):
        return step(entering, state, prims.tf32(weight), bias, None if projection is None else prims.tf32(projection))

    outputs = []
    if backwards:
        for t in reversed(prims.times(input.shape[0])):
            state = turn(entering[t], state)
            outputs.append(state[0])
        outputs.reverse()
    else:
        for t in prims.times(input.shape[0]):
            state = turn(entering[t], state)
            outputs.append(state[0])
    return torch.stack(outputs), state


def _check(name, input, states):
    if input.dim() != 3:
        raise RuntimeError(f"{name}: input must have 3 dimensions, got {input.dim()}")
    for state in states:
        if state.dtype != input.dtype:
            raise RuntimeError(f"{name}: input and hidden states need one dtype, found {input.dtype} and {state.dtype}")


def _layers(name, step, input, states, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
    # In a region of autocast recurrent layers have its type, as products have.
    [input], states, params = prims.narrowed([input]), prims.narrowed(states), prims.narrowed(params)
    _check(name, input, states)
    directions = 2 if bidirectional else 1
    each = len(params) // (num_layers * directions)
    for state in states:
        if not prims.match((state.shape[0],), (num_layers * directions,)):
            raise RuntimeError(f"{name}: the hidden state has {state.shape[0]} layers instead of {num_layers * directions}")
    if batch_first:
        input = input.transpose(0, 1)
    last = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            place = layer * directions + direction
            weights = params[place * each : (place + 1) * each]
            state = tuple([state[place] for state in states])
            output, state = _one_way(step, input, state, weights, has_biases, direction == 1)
            outputs.append(output)
            last.append(state)
        input = torch.cat(outputs, -1) if bidirectional else outputs[0]
        if layer < num_layers - 1:
            input = F.dropout(input, dropout, train)
    output = input.transpose(0, 1) if batch_first else input
    return (output, *[torch.stack([state[part] for state in last]) for part in range(len(states))])


def _refuse_packed(name):
    return prims.refuse(f"torch.{name} of packed sequences is not supported", "give it the padded batch, and mask what follows the end of each sequence")


def _hidden_layers(name, step):
    def layers(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False):
        if isinstance(params, torch.Tensor):
            return _refuse_packed(name)
        return _layers(name, step, input, (hx,), params, has_biases, num_layers, dropout, train, bidirectional, batch_first)

    return layers


export(at="torch", names="rnn_tanh")(_hidden_layers("rnn_tanh", _tanh_step))
export(at="torch", names="rnn_relu")(_hidden_layers("rnn_relu", _relu_step))
export(at="torch", names="gru")(_hidden_layers("gru", _gru_step))


@export(at="torch")
def lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first=False):
    if isinstance(hx, torch.Tensor):
        return _refuse_packed("lstm")
    return _layers("lstm", _lstm_step, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


def _cell(step, input, state, *weights):
    input, w_ih, w_hh, b_ih, b_hh = prims.narrowed([input, *weights])
    state = prims.narrowed(tuple(state))
    return step(F.linear(input, w_ih, b_ih), state, w_hh, b_hh, None)


@export(at="torch")
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _cell(_tanh_step, input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


@export(at="torch")
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _cell(_relu_step, input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


@export(at="torch")
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _cell(_gru_step, input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


@export(at="torch")
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    return _cell(_lstm_step, input, tuple(hx), w_ih, w_hh, b_ih, b_hh)


# --- Sequences of several lengths -----------------------------------------------------------------


def _refused(name):
    def refuse(*arguments, **options):
        return prims.refuse(
            f"'torch.nn.utils.rnn.{name}' is not supported: how many elements packed sequences hold depends on the data",
            "give recurrent layers the padded batch, and mask what follows the end of each sequence",
        )

    return refuse


@export(at="rnn", names="pad_sequence")
def _pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    if isinstance(sequences, torch.Tensor):
        sequences = sequences.unbind(0)
    if padding_side not in ("left", "right"):
        raise RuntimeError("padding_side should be either 'right' or 'left', but got " + padding_side)
    lengths = [sequence.shape[0] for sequence in sequences]
    longest = lengths[0] if len(lengths) == 1 else max(lengths)
    padded = []
    for sequence, length in zip(sequences, lengths):
        more = longest - length
        pad = (0, 0) * (sequence.dim() - 1) + ((more, 0) if padding_side == "left" else (0, more))
        padded.append(F.pad(sequence, pad, value=padding_value))
    return torch.stack(padded, 0 if batch_first else 1)


for _name in ("pack_padded_sequence", "pack_sequence", "pad_packed_sequence"):
    export(at="rnn", names=_name)(_refused(_name))


@export(at="rnn", names="PackedSequence")
class _PackedSequence:
    """No value is one."""
