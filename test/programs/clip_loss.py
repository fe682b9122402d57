"""Images and texts embedded, compared with each other, and the loss of both directions (CLIP)."""

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


class TwoTowers(nn.Module):
    def __init__(self, image_dim=10, text_dim=8, embed_dim=6):
        super().__init__()
        self.visual = nn.Linear(image_dim, embed_dim, bias=False)
        self.text_projection = nn.Parameter(torch.randn(text_dim, embed_dim) * text_dim**-0.5)
        self.logit_scale = nn.Parameter(torch.ones([]) * np.log(1 / 0.07))

    def forward(self, images, texts):
        image_features = self.visual(images)
        text_features = texts @ self.text_projection

        # normalized features
        image_features = image_features / image_features.norm(dim=1, keepdim=True)
        text_features = text_features / text_features.norm(dim=1, keepdim=True)

        # cosine similarity as logits
        logit_scale = self.logit_scale.exp()
        logits_per_image = logit_scale * image_features @ text_features.t()
        logits_per_text = logits_per_image.t()

        labels = torch.arange(images.shape[0], device=images.device)
        return (F.cross_entropy(logits_per_image, labels) + F.cross_entropy(logits_per_text, labels)) / 2


def get_inputs():
    return [torch.randn(5, 10), torch.randn(5, 8)]
