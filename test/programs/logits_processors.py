"""Logits processors of generation as a chain of callables."""

# program: logits_processors

import torch


class LogitsProcessor:
    def __call__(self, input_ids, scores):
        raise NotImplementedError(f"{self.__class__} is an abstract class.")


class TemperatureWarper(LogitsProcessor):
    def __init__(self, temperature: float):
        if not isinstance(temperature, float) or not (temperature > 0):
            raise ValueError(f"`temperature` (={temperature}) has to be a strictly positive float")
        self.temperature = temperature

    def __call__(self, input_ids, scores):
        return scores / self.temperature


class RepetitionPenalty(LogitsProcessor):
    def __init__(self, penalty: float):
        self.penalty = penalty

    def __call__(self, input_ids, scores):
        score = torch.gather(scores, 1, input_ids)
        score = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return scores.scatter(1, input_ids, score)


class TopK(LogitsProcessor):
    def __init__(self, top_k: int, filter_value: float = -float("Inf"), min_tokens_to_keep: int = 1):
        self.top_k = max(top_k, min_tokens_to_keep)
        self.filter_value = filter_value

    def __call__(self, input_ids, scores):
        top_k = min(self.top_k, scores.size(-1))
        indices_to_remove = scores < torch.topk(scores, top_k)[0][..., -1, None]
        return scores.masked_fill(indices_to_remove, self.filter_value)


class TopP(LogitsProcessor):
    def __init__(self, top_p: float, filter_value: float = -float("Inf"), min_tokens_to_keep: int = 1):
        self.top_p, self.filter_value, self.min_tokens_to_keep = float(top_p), filter_value, min_tokens_to_keep

    def __call__(self, input_ids, scores):
        sorted_logits, sorted_indices = torch.sort(scores, descending=False)
        cumulative_probs = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        sorted_indices_to_remove = cumulative_probs <= (1 - self.top_p)
        sorted_indices_to_remove[..., -self.min_tokens_to_keep :] = 0
        indices_to_remove = sorted_indices_to_remove.scatter(1, sorted_indices, sorted_indices_to_remove)
        return scores.masked_fill(indices_to_remove, self.filter_value)


class MinP(LogitsProcessor):
    def __init__(self, min_p, filter_value=-float("Inf")):
        self.min_p, self.filter_value = min_p, filter_value

    def __call__(self, input_ids, scores):
        probs = torch.softmax(scores, dim=-1)
        top_probs, _ = probs.max(dim=-1, keepdim=True)
        return scores.masked_fill(probs < self.min_p * top_probs, self.filter_value)


class ProcessorList(list):
    def __call__(self, input_ids, scores, **kwargs):
        for processor in self:
            scores = processor(input_ids, scores, **kwargs)
        return scores


def logits_processors(input_ids, scores):
    chain = ProcessorList()
    chain.append(TemperatureWarper(0.7))
    chain.extend([TopK(20), TopP(0.9)])
    chain.append(MinP(0.01))
    return torch.nn.functional.softmax(chain(input_ids, scores), dim=-1)


def get_inputs():
    return [torch.randint(0, 40, (3, 5)), torch.randn(3, 40) * 3]
