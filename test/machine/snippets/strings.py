#--- strings 1
print('abc'[1], 'abc'[-1], 'abcdef'[1:4], 'abcdef'[::-1], 'abcdef'[::2], 'abcdef'[-3:], 'abc'[5:])
#--- strings 2
print('abc'[5])
#--- strings 3
print('abc'['a'])
#--- strings 4
print('a' * 3, 3 * 'ab', 'a' * -1, 'ab' + 'cd', 'b' in 'abc', 'bc' not in 'abc')
#--- strings 5
print('abc' * 'a')
#--- strings 6
print(1 in 'abc')
#--- strings 7
print('Hello World'.upper(), 'Hello'.lower(), 'hello world'.title(), 'hELLO'.capitalize(), 'aBc'.swapcase())
#--- strings 8
print('a,b,,c'.split(','), ' a  b c '.split(), 'a,b,c'.split(',', 1), 'a b c'.rsplit(None, 1), 'a,b,c'.rsplit(',', 1))
#--- strings 9
print(''.split(), ''.split(','), 'abc'.split(''))
#--- strings 10
print('a\nb\r\nc\n'.splitlines(), 'a\nb'.splitlines(True))
#--- strings 11
print('-'.join(['a', 'b', 'c']), ''.join('xyz'), ', '.join(str(i) for i in range(4)))
#--- strings 12
print(','.join([1, 2]))
#--- strings 13
print('  ab '.strip(), 'xxabxx'.strip('x'), 'xxab'.lstrip('x'), 'abxx'.rstrip('x'))
#--- strings 14
print('abcabc'.find('c'), 'abcabc'.rfind('c'), 'abc'.find('z'), 'abcabc'.index('b', 2), 'abcabc'.count('b'))
#--- strings 15
print('abc'.index('z'))
#--- strings 16
print('banana'.replace('a', 'o'), 'banana'.replace('a', 'o', 2), 'abc'.replace('', '-'))
#--- strings 17
print('abc'.startswith('ab'), 'abc'.endswith(('x', 'c')), 'abc'.startswith('b', 1))
#--- strings 18
print('7'.zfill(3), '-7'.zfill(4), 'ab'.ljust(5, '.'), 'ab'.rjust(5), 'ab'.center(5, '*'), 'abc'.center(6, '*'))
#--- strings 19
print('a=b=c'.partition('='), 'a=b=c'.rpartition('='), 'abc'.partition('='))
#--- strings 20
print('123'.isdigit(), 'abc'.isalpha(), 'ab1'.isalnum(), ' '.isspace(), 'Ab'.isupper(), 'ab'.islower(), 'x1'.isidentifier())
#--- strings 21
print('prefix_x'.removeprefix('prefix_'), 'x.py'.removesuffix('.py'))
#--- strings 22
print('a\tb'.expandtabs(4), 'abc'.translate(str.maketrans('ab', 'xy')), 'ab'.encode(), b'ab'.decode())
#--- strings 23
print(repr('a\'b'), repr("it's"), repr('a"b\'c'), repr('\n\t\\\x00'), repr('é'), repr('\x7f'))
#--- strings 24
print('é'.encode(), len('éa'), 'éab'[1], 'éab'[::-1], ord('é'), chr(233), chr(0x1F600))
#--- strings 25
print('%d %s %r %5.2f|%-5d|%05d' % (3, 'x', 'y', 3.14159, 42, 42))
#--- strings 26
print('%x %X %o %e %g %%' % (255, 255, 8, 12345.678, 0.0001))
#--- strings 27
print('%(a)s-%(b)d' % {'a': 1, 'b': 2})
#--- strings 28
print('%s' % [1, 2], '%s' % ((1, 2),), '%c%c' % (65, 'b'), '%+d % d' % (3, 3), '%*d' % (5, 42))
#--- strings 29
print('%d' % 'a')
#--- strings 30
print('%s %s' % (1,))
#--- strings 31
print('%s' % (1, 2))
#--- strings 32
print('{} {}'.format(1, 'a'), '{1} {0}'.format('a', 'b'), '{x}'.format(x=3), '{0[1]} {1.real}'.format([1, 2], 5))
#--- strings 33
print('{:>5}|{:<5}|{:^5}|{:*^7}'.format('a', 'b', 'c', 'd'))
#--- strings 34
print('{:05d} {:+d} {:,} {:_} {:x} {:#x} {:b} {:o} {:e}'.format(42, 42, 1234567, 1234567, 255, 255, 5, 8, 1234.5))
#--- strings 35
print('{:.3f} {:10.2f} {:g} {:.0f} {:%} {:.1%}'.format(3.14159, 2.5, 1e10, 2.5, 0.25, 0.123))
#--- strings 36
print('{!r} {!s}'.format('a', 'a'), '{{}}'.format(), '{:{w}}'.format('a', w=4))
#--- strings 37
print('{}'.format())
#--- strings 38
print('{x}'.format())
#--- strings 39
print('{:d}'.format('a'))
#--- strings 40
print('{:s}'.format(3))
#--- strings 41
print(f'{1 + 1} {"a"!r} {3.14159:.2f} {42:>6} {"x":*^5}', f'{{}}', f'{1:{5}}', f'{7=}', f'{"a" + "b" = }')
#--- strings 42
print(f'{1000000:,} {-5:05} {5:+} {0.1:.3e} {1e100:g} {float("nan")} {255:08b} {True} {None}')
#--- strings 43
print(f'{3.0} {1e20} {1e-7} {100000000000000000.0} {12.5:8} {12.5:<8}|')
#--- strings 44
print(format(3.14159, '.2f'), format(5, 'd'), format('a', '>3'), format(1.0, ''), format(12345.678, ',.1f'))
#--- strings 45
print(format(0.1 + 0.2, '.17g'), format(123456789.0, '.3'), format(1.5, '.3'), format(100.0, '.3'), format(1e-10, '.2'))
#--- strings 46
print(str(1.0), str(None), str([1, 'a']), str((1,)), str({'a': 1}), str(True), str(b'x'))
#--- strings 47
print('abc' < 'abd', 'a' < 'B', 'Z' < 'a', max('hello'), sorted('hello'))
#--- strings 48
value = 'a' 'b', "x" 'y', r'\n', 'a\
b'
print(value)
#--- strings 49
print('abc'.nope)
#--- strings 50
print('abc'.upper(1))
#--- strings 51
print(list('abc'), tuple('ab'), 'ab' == "ab", 'a' is not None)
#--- strings 52
print(b'abc'[0], b'abc'[1:], b'a' + b'b', b'\x00\xff', len(b'abc'), bytes([1, 2]), b'ab'.hex())
#--- strings 53
print(ascii('é'), repr('日本'), '日本'.center(6, '-'), '日本語'[1:])
#--- strings 54
print('a-b_c'.replace('-', '_').split('_'), 'x' in {'x': 1}, 'AbC'.casefold())
#--- strings 55
print(str(3) + str(4.5), int('3') + float('4.5'), bool(''), bool('0'))
#--- strings 56
print('one two'.split(maxsplit=1), 'a.b.c'.rsplit('.', maxsplit=1))
#--- strings 57
print(format(1, {'a': 1}))
#--- strings 58
print((1).__format__(3))
#--- strings 59
print(str.upper('a'), list(map(str.strip, [' a ', 'b '])), sorted(['B', 'a'], key=str.lower))
print(str.upper(3))
#--- strings 60
print(list(map(str.strip, ['a', 3])))
#--- strings 61
print(list.append([], 1), dict.get({1: 2}, 1), int.bit_length(True), float.is_integer(2.0))
print(float.is_integer(2))
#--- strings 62
print(set.add((), 1))
#--- strings 63
class Bag(dict):
    pass
print(dict.get(Bag(a=1), 'a'))
dict.get([], 1)
#--- strings 64
object.__setattr__(1, 2, 3)
#--- strings 65
print(object.__getattribute__('a', 2))
#--- strings 66
BaseException.__init__(3)
#--- strings 67
property.setter(3, 4)
#--- strings 68
print('é'.strip('è'), 'éaé'.strip('éx'), '\u3000 a\xa0'.strip(), '\u3000 a\xa0b \u2028'.split(), '日本'.rstrip('本'))
#--- strings 69
print(' a b  '.split(None, 1), ' a b  '.rsplit(None, 1), '  a b '.split(None, 0), 'a\x85b\u2028c\n\nd'.splitlines(), '\r\n\r'.splitlines(True))
#--- strings 70
print('abc'.count('', 5, 2), 'abc'.count(''), 'abc'.count('', 3), 'é'.count(''))
#--- strings 71
x = [1, 2]
x *= 10**30
#--- strings 72
x = [1, 2]
x *= -(10**30)
