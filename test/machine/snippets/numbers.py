#--- numbers 1
print(7 // 2, -7 // 2, 7 // -2, -7 // -2)
#--- numbers 2
print(7 % 3, -7 % 3, 7 % -3, -7 % -3)
#--- numbers 3
print(7.5 // 2, -7.5 // 2, 7.5 % -2, -7.5 % 2)
#--- numbers 4
print(2 ** 100, (-3) ** 5, 2 ** -2, 0 ** 0)
#--- numbers 5
print(10 ** 30 // 7, 10 ** 30 % 7, -(10 ** 30) // 7)
#--- numbers 6
print(1 << 70, (1 << 70) >> 68, -1 >> 5, -5 >> 1)
#--- numbers 7
print((1 << 70) & 0xFF00, -1 & (1 << 65), (1 << 70) | 1, (1 << 70) ^ -1)
#--- numbers 8
print(~5, ~-1, ~(1 << 70))
#--- numbers 9
print(0x7fffffffffffffff + 1, -0x8000000000000000 - 1)
#--- numbers 10
print(0x7fffffffffffffff * 3, (-2) ** 63, -(2 ** 63) // -1)
#--- numbers 11
print(3 / 2, 10 ** 40 / 10 ** 20, 1 / 3)
#--- numbers 12
print(1e16, 1e15, 1.5e-5, 0.0001, 1e22, 123456789012345680.0)
#--- numbers 13
print(0.1 + 0.2, 1e308 * 10, -1e308 * 10)
#--- numbers 14
print(float('nan') != float('nan'), float('inf') > 10 ** 400, -0.0)
#--- numbers 15
print(1 / 0)
#--- numbers 16
print(1 // 0)
#--- numbers 17
print(1 % 0)
#--- numbers 18
print(1.0 / 0)
#--- numbers 19
print(1.0 // 0)
#--- numbers 20
print(1.0 % 0)
#--- numbers 21
print(0 ** -1)
#--- numbers 22
print(1 << -1)
#--- numbers 23
print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234, -2), round(1250, -2), round(1350, -2))
#--- numbers 24
print(round(1e20), round(0.5), round(1.23456, 3), round(5, 2))
#--- numbers 25
print(int('0x1f', 16), int('-12'), int(' 7 '), int('1_000'), int('0b11', 0), int('z', 36))
#--- numbers 26
print(int('12a'))
#--- numbers 27
print(int(''))
#--- numbers 28
print(int(3.99), int(-3.99), int(True), int(1e20))
#--- numbers 29
print(int(float('inf')))
#--- numbers 30
print(float('1e3'), float(' -2.5 '), float('inf'), float('1_0.5'))
#--- numbers 31
print(float('abc'))
#--- numbers 32
print(int([1]))
#--- numbers 33
print(float(None))
#--- numbers 34
print(abs(-5), abs(-2.5), abs(3 + 4j), abs(True))
#--- numbers 35
print(divmod(17, 5), divmod(-17, 5), divmod(7.5, 2))
#--- numbers 36
print(pow(3, 4, 5), pow(2, 10), pow(-3, 5, 7), pow(2, -1))
#--- numbers 37
print(True + True, True & False, True | 1, not True, -True)
#--- numbers 38
print(1 < 2 < 3, 1 < 3 < 2, 3 > 2 >= 2, 1 == 1.0 == True)
#--- numbers 39
print(10 ** 20 == 1e20, 2 ** 53 + 1 == float(2 ** 53), 2 ** 53 + 1 > float(2 ** 53))
#--- numbers 40
print(1j * 1j, (1 + 2j) / (3 - 4j), (1 + 2j) == 1 + 2j, complex(1, -2))
#--- numbers 41
print((5).bit_length(), (2 ** 70).bit_length(), (-1).bit_length(), (255).bit_count())
#--- numbers 42
print((2.0).is_integer(), (2.5).is_integer())
#--- numbers 43
print(bin(10), hex(255), oct(8), bin(-5), hex(2 ** 70))
#--- numbers 44
print(max(1, 2.5, 2), min([3, 1, 2]), max('abc', key=lambda c: -ord(c)), min([], default=7))
#--- numbers 45
print(max([]))
#--- numbers 46
print(min())
#--- numbers 47
print(sum([1, 2, 3]), sum([0.1] * 3), sum([[1], [2]], []), sum((), 5))
#--- numbers 48
print(sum(['a']))
#--- numbers 49
print(hash(3) == hash(3.0), hash(2 ** 61 - 1), hash(-1), hash(2.5), hash((1, 2, 3)), hash(True))
#--- numbers 50
print(1 + 'a')
#--- numbers 51
print('a' + 1)
#--- numbers 52
print([] + ())
#--- numbers 53
print(-'a')
#--- numbers 54
print(1 < 'a')
#--- numbers 55
print([1] < ['a'])
#--- numbers 56
print(None < None)
#--- numbers 57
print(2 ** 0.5, 4 ** 0.5, (-8) ** 2.0)
#--- numbers 58
print(3.0 == 3, 3 is 3, (1, 2) < (1, 3), [1, 2] < [1, 2, 0])
#--- numbers 59
print(12345678901234567890123456789 * 98765432109876543210, 12345678901234567890123456789 // 1234567)
#--- numbers 60
print(int('123456789' * 20) % 1000007)
#--- numbers 61
print(1_000_000, 0b1010, 0o17, 0xFF)
#--- numbers 62
print(7 and 0, 0 or 'x', '' or [] or None, 1 and 2 and 3)
#--- numbers 63
print((lambda: 1)() if [] else 2)
#--- numbers 64
print(1 if 'a' else 2)
#--- numbers 65
print(5 .__add__(3), (7).__floordiv__(2))
