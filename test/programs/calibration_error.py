"""Expected calibration error in bins."""

import torch


class ECELoss(torch.nn.Module):
    def __init__(self, n_bins=5):
        super().__init__()
        bin_boundaries = torch.linspace(0, 1, n_bins + 1)
        self.bin_lowers = bin_boundaries[:-1]
        self.bin_uppers = bin_boundaries[1:]

    def forward(self, logits, labels):
        softmaxes = torch.nn.functional.softmax(logits, dim=1)
        confidences, predictions = torch.max(softmaxes, 1)
        accuracies = predictions.eq(labels)
        ece = torch.zeros(1, device=logits.device)
        for bin_lower, bin_upper in zip(self.bin_lowers, self.bin_uppers):
            in_bin = confidences.gt(bin_lower.item()) * confidences.le(bin_upper.item())
            n = in_bin.float().sum().clamp(min=1e-6)
            accuracy_in_bin = (accuracies.float() * in_bin).sum() / n
            avg_confidence_in_bin = (confidences * in_bin).sum() / n
            ece += torch.abs(avg_confidence_in_bin - accuracy_in_bin) * in_bin.float().mean()
        return ece


def get_inputs():
    return [torch.randn(20, 4), torch.randint(0, 4, (20,))]


def get_init_inputs():
    return []
