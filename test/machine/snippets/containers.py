#--- containers 1
print([1, 2, 3][-1], [1, 2, 3][0:2], [1, 2, 3][::-1], [1, 2] * 2, [1] + [2])
#--- containers 2
print([1, 2, 3][3])
#--- containers 3
print([1]['a'])
#--- containers 4
print((1, 2, 3)[5])
#--- containers 5
print([1, 2, 2].count(2), [1, 2].index(2), (1, 2).index(1), 3 in [1, 2], 1 in (1,))
#--- containers 6
print([1].index(5))
#--- containers 7
print((1,).index(5))
#--- containers 8
print(sorted([3, 1, 2]), sorted([3, 1, 2], reverse=True), sorted(['b', 'A', 'c'], key=str.lower), sorted([(1, 'b'), (1, 'a')], key=lambda t: t[0]))
#--- containers 9
print(sorted([1, 'a']))
#--- containers 10
print(list(range(5)), list(range(2, 10, 3)), list(range(5, 0, -2)), len(range(0, 10, 3)), range(3)[1], range(10)[2:5], 3 in range(5))
#--- containers 11
print(range(0, 5, 0))
#--- containers 12
print(range('a'))
#--- containers 13
print(range())
#--- containers 14
print(list(reversed([1, 2, 3])), list(reversed(range(3))), list(reversed('abc')))
#--- containers 15
print(reversed(5))
#--- containers 16
print(list(enumerate('ab')), list(enumerate('ab', 1)), list(zip([1, 2], 'ab')), list(zip()), list(zip([1, 2, 3], [4])))
#--- containers 17
print(list(zip([1, 2], [1], strict=True)))
#--- containers 18
print(list(map(lambda x: x * 2, [1, 2])), list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, '', 'a'])), list(filter(lambda x: x > 1, [1, 2])))
#--- containers 19
print({'a': 1, 'b': 2}, {}, {**{'a': 1}, 'b': 2}, dict(a=1, b=2), dict([('x', 1)]), dict(zip('ab', [1, 2])))
#--- containers 20
print({'a': 1}['a'], {'a': 1}.get('b'), {'a': 1}.get('b', 5), 'a' in {'a': 1}, len({'a': 1}))
#--- containers 21
print({'a': 1}['b'])
#--- containers 22
print({}[1])
#--- containers 23
print({[]: 1})
#--- containers 24
print({1: 'a', 1.0: 'b', True: 'c'})
#--- containers 25
print(list({'a': 1, 'b': 2}), list({'a': 1}.items()), list({'a': 1}.values()), {'a': 1}.keys(), {'a': 1}.items(), {'a': 1}.values())
#--- containers 26
print({'a': 1} == {'a': 1}, {'a': 1, 'b': 2} == {'b': 2, 'a': 1}, {'a': 1} | {'b': 2})
#--- containers 27
print(dict.fromkeys('ab', 0), dict(a=1, **{'b': 2}), {k: v for k, v in [(1, 2)]})
#--- containers 28
print(sorted({3, 1, 2}), {1} | {2}, sorted({1, 2, 3} & {2, 3, 4}), {1, 2} - {2}, sorted({1, 2} ^ {2, 3}), {1} <= {1, 2}, {1} == {1})
#--- containers 29
print(set(), frozenset([1]), {1, 1}, len({1, 2, 2}), 1 in {1}, {1}.issubset({1, 2}), {1}.isdisjoint({2}), sorted({1}.union([2], [3])))
#--- containers 30
print({[1]})
#--- containers 31
print(set(5))
#--- containers 32
print([x * 2 for x in range(3)], [x for x in range(10) if x % 2 if x > 3], [(x, y) for x in range(2) for y in 'ab'], {x % 2 for x in range(4)})
#--- containers 33
print({x: x ** 2 for x in range(3)}, list(x for x in 'ab'), sum(x for x in range(5)), [[y for y in range(x)] for x in range(3)])
#--- containers 34
print(any([0, 1]), all([1, 0]), any([]), all([]), any(x > 2 for x in range(5)))
#--- containers 35
print([1, [2, [3]]], ((),), ([],), [None, True], [(1,)])
#--- containers 36
print([*range(3), *'ab'], (*[1], 2), {*[1, 2]}, [*{}])
#--- containers 37
print([*5])
#--- containers 38
print(len(5))
#--- containers 39
print(len([1]), len(()), len('abc'), len({}), len({1}))
#--- containers 40
print(list(5))
#--- containers 41
print(tuple([1, 2]), list((1, 2)), tuple(), list(), tuple('ab'))
#--- containers 42
print(next(iter([1])), next(iter([]), 'd'))
#--- containers 43
print(next(iter([])))
#--- containers 44
print(next([1]))
#--- containers 45
print(iter(5))
#--- containers 46
print(isinstance(1, int), isinstance(True, int), isinstance(1, (str, int)), isinstance('a', object), issubclass(bool, int), isinstance([], list), isinstance(1, int | str))
#--- containers 47
print(isinstance(1, 5))
#--- containers 48
print(type(1), type('a'), type([]), type(None), type(1.5), type(int), type(lambda: 1), type(print) is type(len))
#--- containers 49
print(type(1) is int, type([]) == list, type(True).__name__, int.__name__, (5).__class__)
#--- containers 50
print(callable(len), callable(5), callable(int), callable(lambda: 1))
#--- containers 51
print(hasattr([], 'append'), hasattr([], 'nope'), getattr('a', 'upper')(), getattr(5, 'nope', 'd'))
#--- containers 52
print(getattr(5, 'nope'))
#--- containers 53
print([].nope)
#--- containers 54
print((1).nope)
#--- containers 55
print(None.x)
#--- containers 56
print(5())
#--- containers 57
print(None[0])
#--- containers 58
print(None + 1)
#--- containers 59
print(None())
#--- containers 60
print([1, 2, 3] == [1, 2, 3], [1] != [2], (1, 2) == [1, 2], [1] is [1])
#--- containers 61
print(list(map(str, [1, 2])), list(map(int, '123')), tuple(map(len, ['a', 'bb'])))
#--- containers 62
print([] == [], [] is [], not [], bool([0]), bool({}), bool(()), bool(0.0), bool(None))
#--- containers 63
print(slice(1, 2), slice(None), slice(1, None, 2), [1, 2, 3, 4][slice(1, 3)])
#--- containers 64
print([0] * 3, [[]] * 2, (1,) * 2, [1, 2, 3][1:][0], 'abc'[1:][0], [1, 2, 3, 4, 5][-3:-1], [1, 2, 3][10:], [1, 2, 3][-10:2])
#--- containers 65
print((1), (1,), (), 1, (1, 2))
#--- containers 66
print(lambda_ if (lambda_ := 5) > 3 else 0)
#--- containers 67
print([y := 3, y ** 2], (z := 4) + z)
#--- containers 68
print(repr(range(3)), repr(range(1, 5, 2)), repr(slice(1)), repr(...), repr(NotImplemented))
#--- containers 69
print(dict(1))
#--- containers 70
print(dict([1]))
#--- containers 71
print(dict(['ab', 'cd']), dict([[1, 2]]))
#--- containers 72
print({1: 2}.pop(1), {1: 2}.pop(3, 'd'), {1: 2}.setdefault(1, 5))
#--- containers 73
print({1: 2}.pop(3))
#--- containers 74
print({}.popitem())
#--- containers 75
print([].pop())
#--- containers 76
print([1].remove(2))
#--- containers 77
print([3, 1, 2].sort())
#--- containers 78
print(list(iter(lambda c=[0]: c.append(0) or len(c), 4)))
#--- containers 79
print([a for a, *b in [(1, 2, 3), (4, 5)]], [b for a, *b in [(1, 2, 3), (4, 5)]])
#--- containers 80
print(max({'a': 3, 'b': 5}.items(), key=lambda kv: kv[1]), sorted({'b': 1, 'a': 2}), min('b', 'a'), max((1, 2), (1, 3)))
