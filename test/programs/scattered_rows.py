import torch


def scattered_rows(logits, target, counts, flags, weight):
    """One index for each row: one-hot targets, margins at the target, counts that no float holds."""
    one_hot = torch.zeros_like(logits).scatter_(1, target.unsqueeze(1), 1.0)
    margin = logits.scatter_add(1, target.unsqueeze(1), weight.unsqueeze(1))
    moved = (counts + 2**40 + 1).scatter(1, target.unsqueeze(1), 2.5)
    raised = flags.scatter(1, target.unsqueeze(1), True)
    first = logits.scatter(0, target[:1].clamp(max=3).reshape(1, 1).expand(1, logits.shape[1]), weight[:1].reshape(1, 1).expand(1, logits.shape[1]))
    return (margin.log_softmax(1) * one_hot).sum(1), moved, raised, first


def get_inputs():
    return [torch.randn(6, 37), torch.randint(0, 37, (6,)), torch.randint(0, 9, (6, 37)), torch.rand(6, 37) > 0.5, torch.randn(6)]
