"""An image in grey, scaled and normalised."""

# no gradient: no argument needs a gradient

import torch


def preprocess_image(img):
    x = img.float().div(255)
    mean = torch.tensor([0.485, 0.456, 0.406], device=x.device).view(3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
    x = (x - mean) / std
    w = x.new_tensor([0.299, 0.587, 0.114])[:, None, None]
    return (x * w).sum(0, keepdim=True), x


def get_inputs():
    return [torch.randint(0, 256, (3, 8, 6), dtype=torch.uint8)]
