class Options(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__dict__ = self


h = Options({"width": 4, "rates": [8, 4]}, depth=2)
print(h.width, h["rates"], h.depth, h == {"width": 4, "rates": [8, 4], "depth": 2})
h.width = 5
h["name"] = "v1"
print(h["width"], h.name, sorted(h), "width" in h, hasattr(h, "gone"), getattr(h, "gone", None))
del h.depth
print("depth" in h, hasattr(h, "depth"), h.__dict__ is h, vars(h) is h)
h.items = 3
print(h["items"], callable(h.items))
try:
    h.missing
except AttributeError as error:
    print(error)
try:
    del h.missing
except AttributeError as error:
    print("no", error)


class Plain:
    kind = "class"

    def __init__(self):
        self.a = 1
        self.__dict__ = {"b": 2}


p = Plain()
print(p.b, hasattr(p, "a"), p.kind, p.__dict__)
p.c = 3
print(p.__dict__, Options(x=1).copy())
try:
    p.__dict__ = 3
except TypeError as error:
    print(error)
