"""Wrong configurations, made from a good one and from what the platform says of its parameters
(`--describe=json`). The same on every machine."""

import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from refusals import OUTPUTS, Mutant  # noqa: E402

# What no parameter of a type accepts. The first of `quantity` has no unit, the second a wrong one.
def quantity(number, wrong, unit):
    return [number, f'{number}{wrong}', f'-{number}{unit}', f'{"9" * 30}{unit}', f'0{number}{unit}',
            f'0x{number}{unit}', f'.inf{unit}', f'1.{unit}', f'{number}{unit}x',
            f'{number}  {unit}', f'"{"7" * 5000}{unit}"', '.nan', 'soon', 'true']


INTEGERS = ['-1', '1.5', '1e3', '18446744073709551616', '9' * 5000, '010', '0x10', '0b1', '0o17',
            '1_000', '"1,000"', '"8"', '64B', '.inf', '.nan', 'true', 'many', '\u0663', '+1']
BAD = {
    'count': INTEGERS,
    'time': quantity('5', 'm', 'us') + ['0.1ps', '5 hours'],
    'rate': quantity('400', 'GBit', 'Gbps') + ['0Gbps', '1/0Gbps', '400gbps', '1/3/7/11/13/17Gbps'],
    'size': quantity('64', 'Kb', 'KiB') + ['0.5B', '20EB'],
    'length': quantity('30', 's', 'm') + ['0.1um'],
    'number': ['.inf', '.nan', 'inf', '1e999', '-1e400', '01', '1.', '.5', '+1', '0x1p3', '"0.5"',
               '50%', 'half', 'false'],
    'bool': ['yes', 'True', 'on', '1', '0', '"true"', 'maybe', 'TRUE'],
    'choice': ['carry', '010', '0x100', '-1', '.inf', 'true', '""', '9' * 300],
    'MAC address': ['"01:00:5e:00:00:01"', '"ff:ff:ff:ff:ff:ff"', '"02:00:00:00:00"',
                    '"02:00:00:00:00:0g"', '"02:00:00:00:00:00:01"', '2', '""', '0x020000000001'],
    'IPv4 or IPv6 address': ['10.0.0', '10.0.0.256', '10.0.0.1/24', '010.0.0.1', '"fd00:::1"',
                             'localhost', '"10.0.0.1:80"', '"[::1]"', '0x7f000001', '-1', '""'],
}
KINDS = ['[1, 2]', '{a: 1}', '', '~', 'null', '*same', '&same 1', '!!str x', '!own x', '"open',
         "'open", '[1', '{a: 1', '}', '@at', '%x', '| x']


def parameters(description):
    """Type by key; `nodes.<name>.mac` for all names."""
    return {p['key']: p['type'] for p in description['parameters']}


class Document:
    """The good configuration, line by line."""

    def __init__(self, text, types):
        self.lines = text.splitlines(keepends=True)
        self.text = text
        self.keys = []  # (line's index, path, key, what follows the colon)
        path = []
        for index, line in enumerate(self.lines):
            found = re.match(r'( *)([a-z_]+):[ ]?(.*)\n', line)
            if not found:
                continue
            path = path[:len(found[1]) // 2] + [found[2]]
            self.keys.append((index, '.'.join(path), found[2], found[3]))
        self.types = types

    def type_of(self, path):
        return self.types.get(re.sub(r'^nodes\.[a-z]\w*\.', 'nodes.<name>.', path))

    def with_line(self, index, *lines):
        new = self.lines[:index] + [f'{line}\n' for line in lines] + self.lines[index + 1:]
        return ''.join(new).encode()

    def with_block(self, index, line):
        """The line and what is indented below it, replaced."""
        depth = len(self.lines[index]) - len(self.lines[index].lstrip())
        end = index + 1
        while end < len(self.lines) and re.match(r' ' * (depth + 1) + r'|\s*#|\s*$',
                                                 self.lines[end]):
            end += 1
        return ''.join(self.lines[:index] + [f'{line}\n'] + self.lines[end:]).encode()


def at(index):
    return f'c.yaml:{index + 1}:'


def keys(doc):
    """Each key of the file in turn."""
    for index, path, key, value in doc.keys:
        line = doc.lines[index].rstrip('\n')
        head = line[:line.index(':')]
        kind = doc.type_of(path)
        if kind:
            yield Mutant(f'{path} misspelt', doc.with_line(index, f'{head}{key[-1]}:{value and " "}'
                         f'{value}'), place=at(index), says=(f'did you mean "{key}"',))
        if kind and value:
            yield Mutant(f'{path} twice', doc.with_line(index, line, line), place=at(index + 1),
                         says=('already written',))
            yield Mutant(f'{path} without colon', doc.with_line(index, f'{head} {value}'))
            yield Mutant(f'{path} without space', doc.with_line(index, f'{head}:{value}'))
            yield Mutant(f'{path} after a tab', doc.with_line(index, f'\t{line}'))
            yield Mutant(f'{path} in capitals', doc.with_line(index, f'{head.upper()}: {value}'),
                         place=at(index), says=('no such key',))
            for bad in BAD[kind]:
                yield Mutant(f'{path}: {bad[:20]}', doc.with_line(index, f'{head}: {bad}'),
                             place=at(index), says=(path,))
        if kind in ('MAC address', 'IPv4 or IPv6 address'):
            yield Mutant(f'{path} missing', doc.with_line(index), says=(path, 'required'))
        if not value:
            for bad in ('5', '[1, 2]', '', 'true', '{{}: 1}', '{no_such: 1}', '"text"', '.nan'):
                if kind == 'list of groups' and bad == '':
                    continue
                yield Mutant(f'{path}: {bad}', doc.with_block(index, f'{head}: {bad}'),
                             place=at(index))
    scalars = [k for k in doc.keys if k[3] and doc.type_of(k[1])]
    for bad in KINDS:
        index, path, _, value = scalars[len(bad) % len(scalars)]
        line = doc.lines[index].rstrip('\n')
        yield Mutant(f'{path}: {bad}', doc.with_line(index, line[:-len(value)] + bad))


def expectations(doc):
    first = next(i for i, line in enumerate(doc.lines) if line.startswith('  - {metric'))
    for name, element, *says in (
            ('unknown metric', '{metric: b.port.overflaw, max: 0}', 'did you mean "b.port.overf'),
            ('unknown metric near to none', '{metric: elephants, max: 0}', 'no metric'),
            ('no bound', '{metric: b.port.overflow}', 'no bound'),
            ('max below min', '{metric: b.port.overflow, min: 2, max: 1}', 'below min'),
            ('equals outside', '{metric: b.port.overflow, min: 2, equals: 1}', 'outside'),
            ('no metric', '{max: 1}', 'required'),
            ('unknown key', '{metric: b.port.overflow, maxx: 0}', 'did you mean "max"'),
            ('key twice', '{metric: b.port.overflow, max: 0, max: 1}', 'already written'),
            ('infinite', '{metric: b.port.overflow, max: .inf}', 'plain number'),
            ('not a number', '{metric: b.port.overflow, max: .nan}', 'plain number'),
            ('beyond a double', '{metric: b.port.overflow, max: 1e999}', 'double'),
            ('bound with a unit', '{metric: b.port.overflow, max: 3us}', 'plain number'),
            ('bound is a list', '{metric: b.port.overflow, max: [0]}', 'a list'),
            ('bound is nothing', '{metric: b.port.overflow, max: }', 'no value'),
            ('metric is a list', '{metric: [a], max: 1}', 'a list'),
            ('metric not ASCII', '{metric: "b.p\u00f6rt", max: 1}', 'printable ASCII'),
            ('metric of 5,000 characters', '{metric: ' + 'm' * 5000 + ', max: 1}', 'too long'),
            ('element is text', 'b.port.overflow', 'not a group'),
            ('element is nothing', '~', 'not a group'),
            ('element is a list', '[b.port.overflow, 0]', 'not a group')):
        yield Mutant(f'expect: {name}', doc.with_line(first, f'  - {element}'), place=at(first),
                     says=tuple(says))


def structure(doc):
    good = doc.text.encode()
    plain = [
        ('nothing at all', b'', 'no configuration'), ('a line end', b'\n', 'no configuration'),
        ('comments alone', b'# one\n# two\n', 'no configuration'),
        ('null', b'~\n', 'no configuration'), ('an empty document', b'---\n...\n', ''),
        ('a list at the root', b'- seed: 1\n', 'a list'), ('a word', b'seed\n', 'space after'),
        ('a number', b'1\n', ''), ('a quoted document', b'"seed: 1"\n', ''),
        ('two documents', good + b'---\nseed: 2\n', 'one document'),
        ('text after the end', good + b'...\nseed: 2\n', ''),
        ('an anchor', b'seed: &a 1\n', 'anchors'), ('an alias', b'seed: *a\n', 'aliases'),
        ('an anchored map', b'link: &l {rate: 1Gbps}\n', 'anchors'),
        ('an alias of itself', b'link: &l\n  link: *l\n', ''),
        ('an alias of the root', b'&r {link: *r}\n', 'anchors'),
        ('a laugh', b'a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n', 'anchors'),
        ('a merge', b'link:\n  <<: {rate: 1Gbps}\n', 'merge'),
        ('a merge of an alias', b'a: &a {rate: 1Gbps}\nlink: {<<: *a}\n', ''),
        ('a tag', b'seed: !!int 1\n', 'tags'), ('a tag of another', b'seed: !python/name:os.x 1\n',
                                              'tags'),
        ('a tagged map', b'link: !!map {rate: 1Gbps}\n', 'tags'),
        ('a tag alone', b'! {}\n', ''), ('a directive', b'%YAML 1.2\n---\nseed: 1\n', 'directives'),
        ('a complex key', b'? {a: 1}\n: 2\n', 'a key is'),
        ('a list as key', b'[a]: 2\n', 'a key is'),
        ('an empty key', b'"": 1\n', '"": no such key'), ('a null key', b'~: 1\n', ''),
        ('a key of 2,000 characters', b'k' * 2000 + b': 1\n', ''),
        ('a quoted key with a line end', b'"se\\ned": 1\n', 'no such key'),
        ('a dotted key', b'link.rate: 1Gbps\n', 'in a file'), ('a key elsewhere', b'rate: 1Gbps\n',
                                                             'did you mean "link.rate"'),
        ('a tab as indentation', b'link:\n\trate: 1Gbps\n', 'tabs'),
        ('too little indentation', b'link:\n    rate: 1Gbps\n  length: 1m\n', ''),
        ('a value below its key', b'seed:\n1\n', ''), ('two values', b'seed: 1: 2\n', ''),
        ('a stray bracket', good + b']\n', ''), ('a lone colon', b':\n', ''),
        ('an open quote', b'link: {rate: "1Gbps}\n', ''), ('an open list', b'expect: [\n', ''),
        ('an open map', b'link: {rate: 1Gbps\n', ''), ('a bad escape', b'data: "\\q"\n', ''),
        ('an escaped NUL', b'data: "carried\\0"\n', 'data'),
        ('a block scalar', b'seed: |\n  1\n', ''),
        ('a seed folded over lines', b'seed: 1\n  2\n', ''), ('JSON cut off', b'{"seed": 1,', ''),
        ('a report without its configuration', b'{"schema": 1, "metrics": {}}', 'no such key'),
        ('a report whose configuration is a list', b'{"schema": 1, "config": []}', ''),
        ('UTF-16', 'seed: 1\n'.encode('utf-16'), ''), ('UTF-32', 'seed: 1\n'.encode('utf-32'), ''),
        ('old Mac line ends', b'seed: 1\rdata: carried\r', '0x0d'),
        ('an executable', b'\x7fELF\x02\x01\x01' + bytes(64), '0x7f'),
        ('100 lists', b'a: ' + b'[' * 100, '32 levels'), ('100 maps', b'{a: ' * 100, '32 levels'),
        ('a million lists', b'[' * 10**6, ''), ('a million maps', b'{a: ' * 10**6, ''),
        ('a million closed lists', b'[' * 10**6 + b']' * 10**6, ''),
        ('a million dashes', b'- ' * 10**6, '32 levels'),
        ('a million questions', b'? ' * 10**6, ''),
        ('2,000 indented maps', b''.join(b' ' * i + b'a:\n' for i in range(2000)), '32 levels'),
        ('too many values', b'a: [' + b'1,' * (10**6 + 1) + b']', '1,000,000'),
        ('four million commas', b'[' + b',' * 4 * 10**6, '3,000,000'),
        ('an open quote of 2 MB', b'seed: "' + b'1' * 2 * 10**6, ''),
        ('2 MB of digits', b'seed: ' + b'1' * 2 * 10**6, 'seed'),
        ('4 MB of line ends', b'\n' * 4 * 10**6, 'no configuration'),
        ('16 MB and one byte', b'#' * (16 * 10**6 + 1), 'larger than 16 MB'),
    ]
    for name, config, says in plain:
        yield Mutant(name, config, says=(says,))
    # All that comes before the second address is needed.
    needed = good.rindex(b'ip:') + 4
    for cut in range(0, needed, max(1, needed // 40)):
        yield Mutant(f'cut off after {cut} bytes', good[:cut])
    generator = random.Random(2)
    for size in (1, 3, 10, 100, 1000, 10**4, 10**5, 10**6):
        yield Mutant(f'{size} bytes of noise', b'\xfe' + generator.randbytes(size))
    starts = [0]
    for line in doc.lines:
        starts.append(starts[-1] + len(line.encode()))
    for junk in (b'\0', b'\x01', b'\x1b[31m', b'\x7f', b'\xff', b'\x80', b'\xc0\x80',
                 b'\xe0\x80\x80',
                 b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xc2\x85', b'\xe2\x80\xa8',
                 b'\xe2\x80\xae',
                 b'\xef\xbb\xbf', b'\xc3', b'\xe2\x82', b'\r'):
        line = generator.randrange(1, len(doc.lines) - 1)
        spot = starts[line]
        yield Mutant(f'byte {junk!r}', good[:spot] + junk + good[spot:], place=at(line),
                     says=('not printable UTF-8',))


def nodes():
    a = '  a: {mac: "02:00:00:00:00:0a", ip: 10.0.0.1}\n'
    b = '  b: {mac: "02:00:00:00:00:0b", ip: 10.0.0.2}\n'
    for name, text, line, says in (
            ('none', ' {}\n', 1, 'two nodes, not 0'), ('one', '\n' + a, 2, 'two nodes, not 1'),
            ('three', f'\n{a}{b}  c: {{mac: "02:00:00:00:00:0c", ip: 10.0.0.3}}\n', 2, 'not 3'),
            ('one name', '\n' + a + a, 3, 'already written'),
            ('equal addresses', '\n' + a + b.replace('0.2', '0.1'), 3, 'give each'),
            ('equal MACs', '\n' + a + b.replace('0b', '0a'), 3, 'give each'),
            ('equal MACs in another case', '\n' + a + b.replace('0b', '0A'), 3, 'give each'),
            ('mixed families', '\n' + a + b.replace('10.0.0.2', 'fd00::2'), 3, 'family'),
            ('name with a dash', '\n' + a.replace('a:', 'a-1:', 1) + b, 2, 'cannot be a name'),
            ('name with a capital', '\n' + a.replace('a:', 'A:', 1) + b, 2, 'cannot be a name'),
            ('name with a dot', '\n' + a.replace('a:', 'a.b:', 1) + b, 2, 'cannot be a name'),
            ('name that begins with a digit', '\n' + a.replace('a:', '1a:', 1) + b, 2, 'a name'),
            ('empty name', '\n' + a.replace('a:', '"":', 1) + b, 2, 'cannot be a name'),
            ('name of 65 letters', '\n' + a.replace('a:', 'a' * 65 + ':', 1) + b, 2, 'a name'),
            ('name not ASCII', '\n' + a.replace('a:', '\u00e4:', 1) + b, 2, 'cannot be a name'),
            ('XON above XOFF', '\n' + a + b.replace('}', ', pfc: {xoff: 1KiB, xon: 2KiB}}'), 3,
             'above XOFF')):
        yield Mutant(f'nodes: {name}', f'nodes:{text}'.encode(), place=at(line - 1), says=(says,))


def every(doc):
    """All groups of these mutants, by name."""
    return {'keys': list(keys(doc)), 'expectations': list(expectations(doc)),
            'structure': list(structure(doc)), 'nodes': list(nodes())}
