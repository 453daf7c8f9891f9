"""Wrong configurations and command lines, made from a good configuration and from what the platform
says of its parameters (`--describe=json`). The same on every machine."""

import os
import random
import re
from typing import Callable, NamedTuple, Optional

OUTPUTS = ('--report', 'r.json', '--trace', 't.fst', '--pcap', 'p.pcapng', '--timeline', 't.json')


class Mutant(NamedTuple):
    name: str
    config: Optional[bytes] = None  # what c.yaml holds; None: the good configuration
    arguments: tuple = ()           # behind --config c.yaml
    command: Optional[tuple] = None  # the whole command line, instead
    place: str = ''                 # what the message begins with
    says: tuple = ()                # what it holds besides
    prepare: Callable = lambda folder: None  # makes files in the working folder
    ordinary_user: bool = False     # not root, who may read and write everything


# What no parameter of a type accepts. The first of `quantity` has no unit, the second a wrong one.
def quantity(number, wrong, unit):
    return [number, f'{number}{wrong}', f'-{number}{unit}', f'{"9" * 30}{unit}', f'0{number}{unit}',
            f'0x{number}{unit}', f'.inf{unit}', f'1.{unit}', f'{number}{unit}{unit}',
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
            ('unknown metric', '{metric: b.port.overflaw, max: 0}', 'did you mean "b.port.overflow'),
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
            ('element is nothing', '', 'not a group'),
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
        ('a complex key', b'? {a: 1}\n: 2\n', 'a key is'), ('a list as key', b'[a]: 2\n', 'a key is'),
        ('an empty key', b'"": 1\n', 'no such key'), ('a null key', b'~: 1\n', ''),
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
        ('an escaped NUL', b'data: "carried\\0"\n', 'data'), ('a block scalar', b'seed: |\n  1\n', ''),
        ('a seed folded over lines', b'seed: 1\n  2\n', ''), ('JSON cut off', b'{"seed": 1,', ''),
        ('a report without its configuration', b'{"schema": 1, "metrics": {}}', 'no such key'),
        ('a report whose configuration is a list', b'{"schema": 1, "config": []}', ''),
        ('UTF-16', 'seed: 1\n'.encode('utf-16'), ''), ('UTF-32', 'seed: 1\n'.encode('utf-32'), ''),
        ('old Mac line ends', b'seed: 1\rdata: carried\r', '0x0d'),
        ('an executable', b'\x7fELF\x02\x01\x01' + bytes(64), '0x7f'),
        ('100 lists', b'a: ' + b'[' * 100, '32 levels'), ('100 maps', b'{a: ' * 100, '32 levels'),
        ('a million lists', b'[' * 10**6, ''), ('a million maps', b'{a: ' * 10**6, ''),
        ('a million closed lists', b'[' * 10**6 + b']' * 10**6, ''),
        ('a million dashes', b'- ' * 10**6, '32 levels'), ('a million questions', b'? ' * 10**6, ''),
        ('2,000 indented maps', b''.join(b' ' * i + b'a:\n' for i in range(2000)), '32 levels'),
        ('two million values', b'a: [' + b'1,' * 2 * 10**6 + b']', ''),
        ('four million commas', b'[' + b',' * 4 * 10**6, '3,000,000'),
        ('a quote of 8 MB', b'seed: "' + b'1' * 8 * 10**6, ''),
        ('digits of 8 MB', b'seed: ' + b'1' * 8 * 10**6, 'seed'),
        ('line ends of 15 MB', b'\n' * 15 * 10**6, 'no configuration'),
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
    for junk in (b'\0', b'\x01', b'\x1b[31m', b'\x7f', b'\xff', b'\x80', b'\xc0\x80', b'\xe0\x80\x80',
                 b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'\xc2\x85', b'\xe2\x80\xa8', b'\xe2\x80\xae',
                 b'\xef\xbb\xbf', b'\xc3', b'\xe2\x82', b'\r'):
        line = generator.randrange(1, len(doc.lines) - 1)
        spot = starts[line] + 1
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


def assignments(doc):
    """--set, of every parameter in turn and in every wrong form."""
    for path, kind in doc.types.items():
        if '[]' in path or path == 'expect':
            continue
        path = path.replace('<name>', 'b')
        values = BAD.get(kind, ['5', '[1]', '', '~', 'text', '{no_such: 1}'])[:8]
        for value in values[:5] + ['[1, 2]', '']:
            yield Mutant(f'--set {path}={value[:20]}', arguments=('--set', f'{path}={value}'),
                         place='--set ')
    for text in ('', '=', 'seed', '=1', 'seed=', '.seed=1', 'seed.=1', 'link..rate=1Gbps', 'seed =1',
                 'no_such=1', 'link.no_such=1', 'seed.deep=1', 'seed=1\n', 'seed=[1', 'seed=1]',
                 'seed=1, 2', 'seed={', 'seed=*a', 'seed=&a 1', 'seed=!!int 1', 'seed=#', 'seed="1',
                 'link={rate: 1Gbps, rate: 2Gbps}', 'link={<<: {}}', 'expect.9.max=1', 'expect.-1=1',
                 'expect.x=1', 'expect.99999999999999999999=1', 'expect.0.max.y=1', 'link=1',
                 'nodes.c.mac=1', 'nodes={}', 'a.' * 40 + 'b=1', 'seed=' + '[' * 500,
                 'seed=' + '[' * 5000, 'seed=' + '1' * 10**5, 'k' * 10**5 + '=1', 's\u00e9ed=1',
                 b'se\xffed=1', b'seed=\xff', 'seed=\x1b[31m', 'seed=1 # one', 'link.rate=4e2Gbps'):
        yield Mutant(f'--set {text[:30]!r}', arguments=('--set', text), place='--set')
    yield Mutant('a good --set and a bad', place='--set',
                 arguments=('--set', 'seed=2', '--set', 'link.rte=1Gbps'))


def command_lines():
    def bad(*arguments, place='', says=()):
        return Mutant(' '.join(repr(a[:30]) for a in arguments), arguments=arguments,
                      place=place or arguments[0].split('=')[0],
                      says=(says,) if isinstance(says, str) else says)

    for flag, meant in (('--sed', '--seed'), ('--trace-form', '--trace-from'), ('--Report', '--report'),
                        ('--unti=1us', '--until'), ('--repotr=x', '--report'), ('-quiet', '--quiet')):
        yield bad(flag, '1', says=f'did you mean "{meant}"')
    for flag in ('--', '-x', '-1', '---seed', '--se\u00e9d', '--' + 'x' * 10**5, '--no-such=1'):
        yield bad(flag, 'x', place=('' if flag.isascii() and len(flag) < 100 else '-')
                  if flag != '--' else 'command line')
    for word in ('stray', '', 'c.yaml', '\u00fcber', 'w' * 10**5, '1us'):
        yield bad(word, place='command line')
    yield bad('--quiet=1', says='')
    values = {'--seed': '1', '--until': '1us', '--trace': 'a.fst', '--trace-filter': '*',
              '--trace-from': '1us', '--trace-to': '1us', '--trace-trigger': 'xoff',
              '--trace-pre': '1us', '--trace-post': '1us', '--pcap': 'a.pcapng',
              '--timeline': 'a.json', '--report': 'a.json', '--partitions': '1', '--config': 'c.yaml'}
    for flag, value in values.items():
        yield bad(flag, value, flag, value, says='give it once')
        yield bad(flag, says='value')
        yield bad(flag, '', says='empty')
        yield bad(f'{flag}=', says='')
    for flag in ('--until', '--trace-from', '--trace-to', '--trace-pre', '--trace-post'):
        for text in ('5', '5m', '-1us', '1e3us', '0x5us', 'soon', '.inf', '1.5ps', '9' * 40 + 's',
                     '1us ', ' 1us', '\u0661us'):
            yield bad(f'{flag}={text}')
    yield bad('--until', '0s')
    for text in ('-1', '18446744073709551616', 'one', '0x1', '01', '1.0', '9' * 10**5, '1 ', '[1]'):
        yield bad(f'--seed={text}')
    for text in ('0', '-1', '65', '1000000', 'two', '1.5', '18446744073709551617'):
        yield bad(f'--partitions={text}', says='64')
    for text in ('jsn', 'JSON', 'yaml', '9'):
        yield bad(f'--describe={text}', says='accepted')
    for text in ('loud', 'INFO', '=', 'a=b', 'a=', '*=infoo', 'x' * 10**5):
        yield bad(f'--log={text}', says='accepted')
    yield bad('--html', 'a.html', says='not available')
    trace = ('--trace', 't.fst')
    yield bad('--trace-trigger', 'xoff', says='--trace')
    for event in ('xof', 'a.port.xof', 'nothing', '*.nothing', 'b.port.nothing>1', '>1', 'xoff>',
                  'b.port.overflow>-1', 'b.port.overflow>x', 'b.port.overflow>1>2',
                  'b.port.overflow>18446744073709551616', 'total.goodput_gbps>1', '>', 'x' * 10**5):
        yield bad('--trace-trigger', event, *trace)
    for glob in ('nothing', '*.nothing', 'a.prt.*', ',,x', 'x' * 10**5, '\u00fc'):
        yield bad('--trace-filter', glob, *trace)
    yield bad('--trace-from', '2us', '--trace-to', '1us', *trace, place='--trace-')
    for suffix in ('', '.fst.gz', '.FST', '.json', '/'):
        yield bad('--trace', f't{suffix}')
        yield bad('--pcap', f't{suffix}')
    yield bad('--timeline', 't.txt')
    yield bad('--trace', '.fst/x.fst')


def written(flag):
    return {'--trace': 'o.fst', '--pcap': 'o.pcapng', '--timeline': 'o.json', '--report': 'o.json'}[
        flag]


def outputs():
    """What cannot be written, and what would be overwritten. The other outputs could be."""
    def make(name, flag, path, prepare=lambda folder: None, **rest):
        others = []
        for other, value in zip(OUTPUTS[::2], OUTPUTS[1::2]):
            others += [] if other == flag else [other, value]
        return Mutant(f'{flag} {name}', arguments=(*others, flag, path), place=flag,
                      prepare=prepare, **rest)

    for flag in OUTPUTS[::2]:
        file = written(flag)
        yield make('in no folder', flag, f'none/{file}')
        yield make('in a file', flag, f'c.yaml/{file}')
        yield make('is a folder', flag, file, lambda folder, file=file: (folder / file).mkdir())
        yield make('of a long name', flag, 'n' * 300 + file)
        yield make('of a long path', flag, 'n/' * 5000 + file)
        yield make('not UTF-8', flag, b'none/\xff\x1b[31m' + file.encode())
        yield make('of two lines', flag, f'none/\n{file}')
        yield make('in a folder closed to the user', flag, f'shut/{file}', ordinary_user=True,
                   prepare=lambda folder: (folder / 'shut').mkdir(mode=0o555))
        yield make('write-protected', flag, file, ordinary_user=True,
                   prepare=lambda folder, file=file: (folder / file).touch(mode=0o444))
        yield make('on a full device', flag, file,
                   lambda folder, file=file: (folder / file).symlink_to('/dev/full'))
        yield make('is a FIFO that nobody reads', flag, file,
                   lambda folder, file=file: os.mkfifo(folder / file))
        yield make('is a link to nowhere', flag, file,
                   lambda folder, file=file: (folder / file).symlink_to('none/x'))

    def clash(name, flag, path, *rest, prepare=lambda folder: None):
        return Mutant(f'{flag} {name}', arguments=(flag, path, *rest), prepare=prepare,
                      place='--')

    link = lambda folder: (folder / 'o.json').symlink_to('r.json')
    hard = lambda folder: ((folder / 'o.json').touch(), os.link(folder / 'o.json', folder / 'r.json'))
    yield clash('and a timeline in one file', '--report', 'o.json', '--timeline', 'o.json')
    yield clash('and a trace in one file', '--report', 'o.fst', '--trace', 'o.fst')
    yield clash('and a timeline by ./', '--report', 'o.json', '--timeline', './o.json')
    yield clash('and a timeline by ..', '--report', 'o.json', '--timeline', 'd/../o.json',
                prepare=lambda folder: (folder / 'd').mkdir())
    yield clash('and a timeline by a link', '--report', 'r.json', '--timeline', 'o.json', prepare=link)
    yield clash('and a timeline by a hard link', '--report', 'r.json', '--timeline', 'o.json',
                prepare=hard)
    yield clash('over the configuration', '--report', 'c.yaml')
    yield clash('over the configuration by ./', '--report', './c.yaml')
    yield clash('over the configuration by //', '--report', './/c.yaml')
    yield clash('over the configuration by a link', '--timeline', 'o.json',
                prepare=lambda folder: (folder / 'o.json').symlink_to('c.yaml'))
    yield clash('over the configuration by a hard link', '--pcap', 'o.pcapng',
                prepare=lambda folder: os.link(folder / 'c.yaml', folder / 'o.pcapng'))


def files():
    def make(name, path, prepare=lambda folder: None, place='', **rest):
        return Mutant(f'--config {name}', command=('--config', path, *OUTPUTS), prepare=prepare,
                      place=place or path, **rest)

    def sparse(folder):
        with open(folder / 'big.yaml', 'wb') as file:
            file.truncate(20 * 2**30)

    yield make('is not there', 'none.yaml', says=('exists',))
    yield make('in no folder', 'none/c.yaml')
    yield make('is a folder', '.', says=('directory',))
    yield make('in a file', 'c.yaml/c.yaml')
    yield make('is a FIFO', 'fifo.yaml', lambda folder: os.mkfifo(folder / 'fifo.yaml'))
    yield make('is a device without end', '/dev/zero')
    yield make('is an empty device', '/dev/null')
    yield make('is a terminal', '/dev/tty')
    yield make('is a link to nowhere', 'l.yaml',
               lambda folder: (folder / 'l.yaml').symlink_to('none'))
    yield make('is a link to itself', 'l.yaml',
               lambda folder: (folder / 'l.yaml').symlink_to('l.yaml'))
    yield make('has a long name', 'n' * 300, place='n' * 100)
    yield make('has a long path', 'n/' * 5000, place='n/n/n/')
    yield make('is not UTF-8', b'\xff\x1b[31m.yaml', place='\\xff\\x1b[31m.yaml')
    yield make('is of two lines', 'c\n.yaml', place='c\\x0a.yaml')
    yield make('of 20 GB', 'big.yaml', sparse, says=('larger than 16 MB',))
    yield make('is closed to the user', 'shut.yaml', ordinary_user=True,
               prepare=lambda folder: (folder / 'shut.yaml').touch(mode=0o000))
    yield make('in a folder closed to the user', 'shut/c.yaml', ordinary_user=True,
               prepare=lambda folder: (folder / 'shut').mkdir(mode=0o000))


def every(text, description):
    """All groups of mutants, by name."""
    doc = Document(text, parameters(description))
    return {'keys': list(keys(doc)), 'expectations': list(expectations(doc)),
            'structure': list(structure(doc)), 'nodes': list(nodes()),
            'assignments': list(assignments(doc)), 'command_lines': list(command_lines()),
            'outputs': list(outputs()), 'files': list(files())}
