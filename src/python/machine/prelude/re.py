# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Regular expressions of known texts, by backtracking. A pattern becomes functions (text, place, state)
# that give the end of a match or None; each is made with the function that matches what follows.
from _nereid import refuse as _refuse

class error(Exception):
    def __init__(self, msg, pattern=None, pos=None):
        self.msg, self.pattern, self.pos = msg, pattern, pos
        super().__init__(msg if pos is None else f'{msg} at position {pos}')

PatternError = error

class RegexFlag(int):
    def __or__(self, other):
        return RegexFlag(int(self) | int(other))
    __ror__ = __or__
    def __and__(self, other):
        return RegexFlag(int(self) & int(other))

T = TEMPLATE = RegexFlag(1)
I = IGNORECASE = RegexFlag(2)
L = LOCALE = RegexFlag(4)
M = MULTILINE = RegexFlag(8)
S = DOTALL = RegexFlag(16)
U = UNICODE = RegexFlag(32)
X = VERBOSE = RegexFlag(64)
A = ASCII = RegexFlag(256)
NOFLAG = RegexFlag(0)
_LETTERS = {'i': 2, 'L': 4, 'm': 8, 's': 16, 'u': 32, 'x': 64, 'a': 256}
_ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', 'f': '\f', 'v': '\v', 'a': '\a', 'b': '\b'}
_MOST = 1 << 32

def _is_digit(c):
    return c.isdigit()

def _is_space(c):
    return c.isspace()

def _is_word(c):
    return c.isalnum() or c == '_'

_CLASSES = {'d': _is_digit, 's': _is_space, 'w': _is_word}

def _negated(test):
    return lambda c: not test(c)

class _Parser:
    def __init__(self, pattern, flags):
        self.pattern, self.flags, self.at = pattern, flags, 0
        self.groups, self.names, self.open = 0, {}, []

    def fail(self, message, at=None):
        raise error(message, self.pattern, self.at if at is None else at)

    def peek(self):
        return self.pattern[self.at] if self.at < len(self.pattern) else ''

    def take(self, text):
        if self.pattern.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def alternatives(self):
        outer = self.flags
        found = [self.sequence()]
        while self.take('|'):
            found.append(self.sequence())
        self.flags = outer
        return found[0] if len(found) == 1 else ('alt', found)

    def skip(self):
        while self.flags & 64 and self.peek():
            if self.peek().isspace():
                self.at += 1
            elif self.peek() == '#':
                while self.peek() and self.peek() != '\n':
                    self.at += 1
            else:
                break

    def sequence(self):
        parts = []
        while True:
            self.skip()
            if self.peek() in ('', '|', ')'):
                return ('cat', parts)
            item = self.atom()
            if item is not None:
                parts.append(self.repeated(item))

    def repeated(self, item):
        while True:
            self.skip()
            begin = self.at
            c = self.peek()
            if c == '*':
                low, high = 0, _MOST
            elif c == '+':
                low, high = 1, _MOST
            elif c == '?':
                low, high = 0, 1
            elif c == '{':
                bounds = self.bounds()
                if bounds is None:
                    return item
                low, high = bounds
                self.at -= 1
            else:
                return item
            self.at += 1
            if item[0] in ('word', 'last', *_PLACES) or item[0] == 'rep':
                self.fail('multiple repeat' if item[0] == 'rep' else 'nothing to repeat', begin)
            way = 'lazy' if self.take('?') else 'possessive' if self.take('+') else 'greedy'
            item = ('rep', item, low, high, way)

    def number(self):
        begin = self.at
        while self.peek().isdigit():
            self.at += 1
        return self.pattern[begin:self.at]

    def bounds(self):
        begin = self.at
        self.at += 1
        low = self.number()
        high = low
        if self.take(','):
            high = self.number()
            if not low and not high and self.peek() != '}':
                self.at = begin
                return None
        elif not low:
            self.at = begin
            return None
        if not self.take('}'):
            self.at = begin
            return None
        comma = ',' in self.pattern[begin:self.at]
        low, high = int(low or 0), int(high) if high else _MOST if comma else int(low)
        if high < low:
            self.fail('min repeat greater than max repeat', begin)
        return low, high

    def atom(self):
        begin = self.at
        c = self.peek()
        self.at += 1
        if c == '.':
            return ('one', (lambda c: True) if self.flags & 16 else (lambda c: c != '\n'))
        if c == '^':
            return ('bol',) if self.flags & 8 else ('start',)
        if c == '$':
            return ('eol',) if self.flags & 8 else ('last',)
        if c == '[':
            return ('one', self.set())
        if c == '(':
            return self.group(begin)
        if c == '\\':
            return self.escape()
        if c in '*+?' or c == '{' and self.is_repeat(begin):
            self.fail('nothing to repeat', begin)
        return self.literal(c)

    def is_repeat(self, begin):
        self.at = begin
        found = self.bounds()
        self.at = begin + 1
        return found is not None

    def literal(self, c):
        if self.flags & 2:
            low, high = c.lower(), c.upper()
            return ('one', lambda x: x == low or x == high)
        return ('one', lambda x: x == c)

    def escape(self):
        begin = self.at - 1
        c = self.peek()
        self.at += 1
        if c == '':
            self.fail('bad escape (end of pattern)', begin)
        if c in _CLASSES:
            return ('one', _CLASSES[c])
        if c.lower() in _CLASSES:
            return ('one', _negated(_CLASSES[c.lower()]))
        if c == 'A':
            return ('start',)
        if c == 'Z':
            return ('end',)
        if c in ('b', 'B'):
            return ('word', c == 'b')
        if c in '123456789':
            digits = c
            if self.peek().isdigit():
                digits += self.peek()
                self.at += 1
            number = int(digits)
            if number > self.groups:
                self.fail(f'invalid group reference {number}', begin + 1)
            if number in self.open:
                self.fail('cannot refer to an open group', begin)
            return ('ref', number, self.flags & 2)
        return self.literal(self.character(c, begin))

    def character(self, c, begin):
        if c in ('x', 'u', 'U'):
            count = {'x': 2, 'u': 4, 'U': 8}[c]
            digits = self.pattern[self.at:self.at + count]
            self.at += count
            return chr(int(digits, 16))
        if c == '0':
            digits = ''
            while len(digits) < 2 and self.peek() and self.peek() in '01234567':
                digits += self.peek()
                self.at += 1
            return chr(int(digits or '0', 8))
        if c in _ESCAPES:
            return _ESCAPES[c]
        if c.isalpha() and c.isascii():
            self.fail('bad escape \\' + c, begin)
        return c

    def set(self):
        begin = self.at - 1
        negate = self.take('^')
        tests, first = [], True
        while True:
            c = self.peek()
            if c == '':
                self.fail('unterminated character set', begin)
            self.at += 1
            if c == ']' and not first:
                break
            first = False
            low = self.member(c)
            if self.peek() == '-' and self.pattern[self.at + 1:self.at + 2] not in ('', ']'):
                self.at += 1
                c = self.peek()
                self.at += 1
                high = self.member(c)
                if not isinstance(low, str) or not isinstance(high, str) or high < low:
                    self.fail('bad character range', begin)
                tests.append(self.range(low, high))
            else:
                tests.append(self.range(low, low) if isinstance(low, str) else low)
        if negate:
            return lambda c: not any(test(c) for test in tests)
        return tests[0] if len(tests) == 1 else lambda c: any(test(c) for test in tests)

    def range(self, low, high):
        if self.flags & 2:
            return lambda c: low <= c <= high or low <= c.lower() <= high or low <= c.upper() <= high
        return lambda c: low <= c <= high

    def member(self, c):
        if c != '\\':
            return c
        begin = self.at - 1
        c = self.peek()
        self.at += 1
        if c in _CLASSES:
            return _CLASSES[c]
        if c and c.lower() in _CLASSES:
            return _negated(_CLASSES[c.lower()])
        return self.character(c, begin)

    def close(self, begin):
        if not self.take(')'):
            self.fail('missing ), unterminated subpattern', begin)

    def name(self, end):
        begin = self.at
        while self.peek() not in ('', end):
            self.at += 1
        name = self.pattern[begin:self.at]
        if not self.take(end):
            self.fail(f'missing {end}, unterminated name', begin)
        if not name.isidentifier():
            self.fail(f'bad character in group name {name!r}', begin)
        return name

    def group(self, begin):
        if not self.take('?'):
            return self.capture(begin, None)
        if self.take(':'):
            return self.plain(begin)
        if self.take('P<'):
            name = self.name('>')
            if name in self.names:
                self.fail(f'redefinition of group name {name!r}', begin)
            return self.capture(begin, name)
        if self.take('P='):
            name = self.name(')')
            if name not in self.names:
                self.fail(f'unknown group name {name!r}', begin)
            return ('ref', self.names[name], self.flags & 2)
        for text, ahead, negate in (('=', True, False), ('!', True, True), ('<=', False, False), ('<!', False, True)):
            if self.take(text):
                inner = self.plain(begin)
                return ('look', inner, ahead, negate, 0 if ahead else self.width(inner))
        if self.take('>'):
            return ('atomic', self.plain(begin))
        if self.take('#'):
            while self.peek() not in ('', ')'):
                self.at += 1
            self.close(begin)
            return None
        if self.take('('):
            return _refuse('a regular expression that chooses by a group, (?(1)...), is not supported', 'write the two alternatives')
        return self.inline(begin)

    def inline(self, begin):
        add, drop, minus = 0, 0, False
        while self.peek() not in ('', ')', ':'):
            c = self.peek()
            self.at += 1
            if c == '-':
                minus = True
            elif c not in _LETTERS:
                self.fail('unknown extension ?' + c, begin + 1)
            elif minus:
                drop |= _LETTERS[c]
            else:
                add |= _LETTERS[c]
        outer = self.flags
        self.flags = (outer | add) & ~drop
        if self.take(':'):
            inner = self.plain(begin)
            self.flags = outer
            return inner
        self.close(begin)
        return None

    def plain(self, begin):
        inner = self.alternatives()
        self.close(begin)
        return inner

    def capture(self, begin, name):
        self.groups += 1
        number = self.groups
        if name is not None:
            self.names[name] = number
        self.open.append(number)
        inner = self.plain(begin)
        self.open.remove(number)
        return ('group', number, inner)

    def width(self, node):
        kind = node[0]
        if kind == 'one':
            return 1
        if kind == 'cat':
            return sum(self.width(part) for part in node[1])
        if kind == 'group':
            return self.width(node[2])
        if kind == 'rep' and node[2] == node[3]:
            return node[2] * self.width(node[1])
        if kind == 'alt':
            widths = {self.width(part) for part in node[1]}
            if len(widths) == 1:
                return widths.pop()
        if kind in ('bol', 'eol', 'start', 'end', 'last', 'word', 'look'):
            return 0
        self.fail('look-behind requires fixed-width pattern')

def _one(test, then):
    return lambda s, i, g: then(s, i + 1, g) if i < len(s) and test(s[i]) else None

def _where(test, then):
    return lambda s, i, g: then(s, i, g) if test(s, i) else None

def _is_boundary(s, i):
    return (i > 0 and _is_word(s[i - 1])) != (i < len(s) and _is_word(s[i]))

_PLACES = {
    'bol': lambda s, i: i == 0 or s[i - 1] == '\n',
    'eol': lambda s, i: i == len(s) or s[i] == '\n',
    'start': lambda s, i: i == 0,
    'end': lambda s, i: i == len(s),
    'last': lambda s, i: i == len(s) or (i == len(s) - 1 and s[i] == '\n'),
}

def _end(s, i, g):
    return i

class _Maker:
    """Makes the functions; each group and each loop has slots of the state of its own."""
    def __init__(self, groups):
        # Ends of groups, the last group that was closed, then what groups and loops need.
        self.last = 2 * groups + 2
        self.slots = self.last + 1

    def slot(self, count):
        self.slots += count
        return self.slots - count

    def make(self, node, then):
        return getattr(self, 'make_' + node[0], self.make_place)(node, then)

    def make_place(self, node, then):
        return _where(_PLACES[node[0]], then)

    def make_word(self, node, then):
        is_inside = node[1]
        return _where(lambda s, i: _is_boundary(s, i) == is_inside, then)

    def make_one(self, node, then):
        return _one(node[1], then)

    def make_cat(self, node, then):
        for part in node[1][::-1]:
            then = self.make(part, then)
        return then

    def make_alt(self, node, then):
        ways = [self.make(part, then) for part in node[1]]
        def match(s, i, g):
            for way in ways:
                end = way(s, i, g)
                if end is not None:
                    return end
            return None
        return match

    def make_group(self, node, then):
        number, begin, last = node[1], self.slot(1), self.last
        def close(s, i, g):
            before = g[2 * number], g[2 * number + 1], g[last]
            g[2 * number], g[2 * number + 1], g[last] = g[begin], i, number
            end = then(s, i, g)
            if end is None:
                g[2 * number], g[2 * number + 1], g[last] = before
            return end
        inner = self.make(node[2], close)
        def match(s, i, g):
            before = g[begin]
            g[begin] = i
            end = inner(s, i, g)
            if end is None:
                g[begin] = before
            return end
        return match

    def make_ref(self, node, then):
        number, ignores = node[1], node[2]
        def match(s, i, g):
            if g[2 * number + 1] is None:
                return None
            text = s[g[2 * number]:g[2 * number + 1]]
            found = s[i:i + len(text)]
            if found == text or (ignores and found.lower() == text.lower()):
                return then(s, i + len(text), g)
            return None
        return match

    def make_look(self, node, then):
        inner, ahead, negate, width = self.make(node[1], _end), node[2], node[3], node[4]
        def match(s, i, g):
            begin = i if ahead else i - width
            before = [*g]
            found = begin >= 0 and inner(s, begin, g) is not None
            if found == negate:
                g[:] = before
                return None
            if negate:
                g[:] = before
            end = then(s, i, g)
            if end is None:
                g[:] = before
            return end
        return match

    def make_atomic(self, node, then):
        inner = self.make(node[1], _end)
        def match(s, i, g):
            before = [*g]
            found = inner(s, i, g)
            end = None if found is None else then(s, found, g)
            if end is None:
                g[:] = before
            return end
        return match

    def make_rep(self, node, then):
        inner, low, high, way = node[1], node[2], node[3], node[4]
        if inner[0] == 'one':
            return self.repeat_one(inner[1], low, high, way, then)
        if way == 'possessive':
            return self.make_atomic(('atomic', ('rep', inner, low, high, 'greedy')), then)
        count = self.slot(2)
        def leave(s, i, g):
            return then(s, i, g)
        def enter(s, i, g):
            before = g[count], g[count + 1]
            g[count], g[count + 1] = g[count] + 1, i
            end = body(s, i, g)
            if end is None:
                g[count], g[count + 1] = before
            return end
        def loop(s, i, g):
            turns = g[count]
            if turns < low:
                return enter(s, i, g)
            first, second = (enter, leave) if way == 'greedy' else (leave, enter)
            for each in (first, second):
                if each is enter and (turns >= high or (turns > low and i == g[count + 1])):
                    continue
                end = each(s, i, g)
                if end is not None:
                    return end
            return None
        body = self.make(inner, loop)
        def match(s, i, g):
            before = g[count], g[count + 1]
            g[count], g[count + 1] = 0, -1
            end = loop(s, i, g)
            if end is None:
                g[count], g[count + 1] = before
            return end
        return match

    def repeat_one(self, test, low, high, way, then):
        def greedy(s, i, g):
            most, n = min(high, len(s) - i), 0
            while n < most and test(s[i + n]):
                n += 1
            if way == 'possessive':
                return then(s, i + n, g) if n >= low else None
            while n >= low:
                end = then(s, i + n, g)
                if end is not None:
                    return end
                n -= 1
            return None
        def lazy(s, i, g):
            most, n = min(high, len(s) - i), 0
            while n < low:
                if n >= most or not test(s[i + n]):
                    return None
                n += 1
            while True:
                end = then(s, i + n, g)
                if end is not None:
                    return end
                if n >= most or not test(s[i + n]):
                    return None
                n += 1
        return lazy if way == 'lazy' else greedy

class Match:
    def __init__(self, pattern, string, state, begin, end, pos):
        self.re, self.string, self._state, self.pos, self.endpos = pattern, string, state, pos, len(string)
        state[0], state[1] = begin, end
    def _number(self, group):
        if isinstance(group, str):
            if group not in self.re.groupindex:
                raise IndexError('no such group')
            return self.re.groupindex[group]
        if not 0 <= group <= self.re.groups:
            raise IndexError('no such group')
        return group
    def _text(self, group, default=None):
        begin, end = self.span(group)
        return default if begin < 0 else self.string[begin:end]
    def group(self, *groups):
        if len(groups) <= 1:
            return self._text(groups[0] if groups else 0)
        return tuple(self._text(group) for group in groups)
    def __getitem__(self, group):
        return self._text(group)
    def groups(self, default=None):
        return tuple(self._text(group, default) for group in range(1, self.re.groups + 1))
    def groupdict(self, default=None):
        return {name: self._text(group, default) for name, group in self.re.groupindex.items()}
    def span(self, group=0):
        number = self._number(group)
        begin, end = self._state[2 * number], self._state[2 * number + 1]
        return (-1, -1) if end is None else (begin, end)
    def start(self, group=0):
        return self.span(group)[0]
    def end(self, group=0):
        return self.span(group)[1]
    @property
    def lastindex(self):
        return self._state[2 * self.re.groups + 2]
    @property
    def lastgroup(self):
        for name, group in self.re.groupindex.items():
            if group == self.lastindex:
                return name
        return None
    def expand(self, template):
        return _expand(_template(template, self.re), self)
    def __bool__(self):
        return True
    def __repr__(self):
        return f'<re.Match object; span={self.span()}, match={self.group()!r}>'

class Pattern:
    def __init__(self, pattern, flags):
        if not isinstance(pattern, str):
            raise TypeError('first argument must be string or compiled pattern')
        parser = _Parser(pattern, int(flags))
        node = parser.alternatives()
        if parser.at < len(pattern):
            parser.fail('unbalanced parenthesis')
        self.pattern, self.flags = pattern, RegexFlag(int(flags) | 32)
        self.groups, self.groupindex = parser.groups, parser.names
        maker = _Maker(parser.groups)
        wanted = maker.slot(2)
        def finish(s, i, g):
            # Whether it must be the whole text, and a place at which a match may not end.
            if (g[wanted] and i != len(s)) or i == g[wanted + 1]:
                return None
            return i
        self._wanted, self._run = wanted, maker.make(node, finish)
        self._slots = maker.slots
    def _match(self, string, at, pos, whole=False, forbidden=None):
        if not isinstance(string, str):
            raise TypeError(f"expected string or bytes-like object, got {type(string).__name__!r}")
        state = [None] * self._slots
        state[self._wanted], state[self._wanted + 1] = whole, forbidden
        end = self._run(string, at, state)
        return None if end is None else Match(self, string, state, at, end, pos)
    def match(self, string, pos=0, endpos=None):
        return self._match(string[:endpos], pos, pos)
    def fullmatch(self, string, pos=0, endpos=None):
        return self._match(string[:endpos], pos, pos, True)
    def search(self, string, pos=0, endpos=None):
        return self._find(string[:endpos], pos, None)
    def _find(self, string, pos, forbidden):
        for at in range(pos, len(string) + 1):
            found = self._match(string, at, pos, False, forbidden if at == forbidden else None)
            if found:
                return found
        return None
    def finditer(self, string, pos=0, endpos=None):
        string = string[:endpos]
        forbidden = None
        while pos <= len(string):
            found = self._find(string, pos, forbidden)
            if not found:
                return
            yield found
            pos = found.end()
            # Of nothing at one place there is one match.
            forbidden = pos if found.start() == pos else None
    def findall(self, string, pos=0, endpos=None):
        found = []
        for each in self.finditer(string, pos, endpos):
            groups = each.groups('')
            found.append(each.group() if not groups else groups[0] if len(groups) == 1 else groups)
        return found
    def split(self, string, maxsplit=0):
        parts, at = [], 0
        for each in self.finditer(string):
            if maxsplit and len(parts) // (self.groups + 1) >= maxsplit:
                break
            parts += [string[at:each.start()], *each.groups()]
            at = each.end()
        return [*parts, string[at:]]
    def subn(self, repl, string, count=0):
        template = None if callable(repl) else _template(repl, self)
        parts, at, done = [], 0, 0
        for each in self.finditer(string):
            if count and done >= count:
                break
            parts += [string[at:each.start()], repl(each) if template is None else _expand(template, each)]
            at, done = each.end(), done + 1
        return ''.join([*parts, string[at:]]), done
    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]
    def __eq__(self, other):
        return isinstance(other, Pattern) and (self.pattern, int(self.flags)) == (other.pattern, int(other.flags))
    def __hash__(self):
        return hash(self.pattern)
    def __repr__(self):
        return f're.compile({self.pattern!r})'
    def __copy__(self):
        return self
    def __deepcopy__(self, memo):
        return self

def _template(text, pattern):
    """The parts of a replacement: texts and numbers of groups."""
    parts, i = [''], 0
    while i < len(text):
        c = text[i]
        i += 1
        if c != '\\':
            parts[-1] += c
            continue
        c = text[i:i + 1]
        i += 1
        if c == 'g':
            close = text.find('>', i)
            name = text[i + 1:close]
            i = close + 1
            if not name.isdigit() and name not in pattern.groupindex:
                raise IndexError(f'unknown group name {name!r}')
            parts += [int(name) if name.isdigit() else pattern.groupindex[name], '']
        elif c.isdigit() and c != '0':
            if text[i:i + 1].isdigit():
                c += text[i]
                i += 1
            if int(c) > pattern.groups:
                raise error(f'invalid group reference {c}', text, i - len(c))
            parts += [int(c), '']
        elif c in _ESCAPES:
            parts[-1] += _ESCAPES[c]
        elif c == '0':
            parts[-1] += '\0'
        elif c.isalpha():
            raise error('bad escape \\' + c, text, i - 2)
        else:
            parts[-1] += '\\' if c == '\\' else '\\' + c
    return parts

def _expand(parts, found):
    return ''.join(part if isinstance(part, str) else found._text(part, '') for part in parts)

_compiled = {}

def compile(pattern, flags=0):
    if isinstance(pattern, Pattern):
        return pattern
    key = (pattern, int(flags))
    if key not in _compiled:
        _compiled[key] = Pattern(pattern, flags)
    return _compiled[key]

def match(pattern, string, flags=0):
    return compile(pattern, flags).match(string)

def fullmatch(pattern, string, flags=0):
    return compile(pattern, flags).fullmatch(string)

def search(pattern, string, flags=0):
    return compile(pattern, flags).search(string)

def findall(pattern, string, flags=0):
    return compile(pattern, flags).findall(string)

def finditer(pattern, string, flags=0):
    return compile(pattern, flags).finditer(string)

def split(pattern, string, maxsplit=0, flags=0):
    return compile(pattern, flags).split(string, maxsplit)

def sub(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).sub(repl, string, count)

def subn(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).subn(repl, string, count)

def escape(pattern):
    return ''.join('\\' + c if c in '()[]{}?*+-|^$\\.&~# \t\n\r\v\f' else c for c in pattern)

def purge():
    _compiled.clear()
