"""Wrong command lines, and files that cannot be read or written."""

import os

from mutants import BAD, OUTPUTS, Mutant


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
    for text in ('', '=', 'seed', '=1', 'seed=', '.seed=1', 'seed.=1', 'link..rate=1Gbps',
                 'seed =1',
                 'no_such=1', 'link.no_such=1', 'seed.deep=1', 'seed=1\n', 'seed=[1', 'seed=1]',
                 'seed=1, 2', 'seed={', 'seed=*a', 'seed=&a 1', 'seed=!!int 1', 'seed=#', 'seed="1',
                 'link={rate: 1Gbps, rate: 2Gbps}', 'link={<<: {}}', 'expect.9.max=1',
                 'expect.-1=1',
                 'expect.x=1', 'expect.99999999999999999999=1', 'expect.0.max.y=1', 'link=1',
                 'nodes.c.mac=1', 'nodes={}', 'a.' * 40 + 'b=1', 'seed=' + '[' * 500,
                 'seed=' + '[' * 5000, 'seed=' + '1' * 10**5, 'k' * 10**5 + '=1', 's\u00e9ed=1',
                 b'se\xffed=1', b'seed=\xff', 'seed=\x1b[31m', 'link.rate=4e2Gbps'):
        yield Mutant(f'--set {text[:30]!r}', arguments=('--set', text), place='--set')
    yield Mutant('a good --set and a bad', place='--set',
                 arguments=('--set', 'seed=2', '--set', 'link.rte=1Gbps'))


def command_lines():
    def bad(*arguments, place='', says=()):
        return Mutant(' '.join(repr(a[:30]) for a in arguments), arguments=arguments,
                      place=place or arguments[0].split('=')[0],
                      says=(says,) if isinstance(says, str) else says)

    for flag, meant in (('--seeed', '--seed'), ('--trace-form', '--trace-from'),
                        ('--Report', '--report'),
                        ('--unti=1us', '--until'), ('--repotr=x', '--report'),
                        ('-quiet', '--quiet')):
        yield bad(flag, '1', says=f'did you mean "{meant}"')
    for flag in ('--', '-x', '-1', '---seed', '--se\u00e9d', '--' + 'x' * 10**5, '--no-such=1'):
        yield bad(flag, 'x', place=('' if flag.isascii() and len(flag) < 100 else '-')
                  if flag != '--' else '--')
    for word in ('stray', '', 'c.yaml', '\u00fcber', 'w' * 10**5, '1us'):
        yield bad(word, place='command line')
    yield bad('--quiet=maybe', says='takes no value')
    values = {'--seed': '1', '--until': '1us', '--trace': 'a.fst', '--trace-filter': '*',
              '--trace-from': '1us', '--trace-to': '1us', '--trace-trigger': 'xoff',
              '--trace-pre': '1us', '--trace-post': '1us', '--pcap': 'a.pcapng',
              '--timeline': 'a.json', '--report': 'a.json', '--partitions': '1',
              '--config': 'c.yaml'}
    for flag, value in values.items():
        yield bad(flag, value, flag, value, says='give it once')
        yield bad(flag, says='value')
        yield Mutant(f"{flag} ''", command=(flag, ''), place=flag, says=('empty',))
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
        yield bad(f'--describe={text}', says='ccepted: ')
    for text in ('loud', 'INFO', '=', 'a=b', 'a=', '*=infoo', 'x' * 10**5):
        yield bad(f'--log={text}', says='ccepted: ')
    yield bad('--html', 'a.html', says='not available')
    trace = ('--trace', 't.fst')
    for flag, value in values.items():
        if flag.startswith('--trace-'):
            yield bad(flag, value, says='add --trace FILE.fst')
    for flag in ('--trace-pre', '--trace-post'):
        yield bad(flag, '1us', *trace, says='add --trace-trigger EVENT')
    for flag in ('--trace-from', '--trace-to'):
        yield bad(flag, '1us', '--trace-trigger', 'xoff', *trace, says='--trace-pre')
    for event in ('xof', 'a.port.xof', 'nothing', '*.nothing', 'b.port.nothing>1', '>1', 'xoff>',
                  'b.port.overflow>-1', 'b.port.overflow>x', 'b.port.overflow>1>2',
                  'b.port.overflow>18446744073709551616', 'total.goodput_gbps>1', '>', 'x' * 10**5):
        yield bad('--trace-trigger', event, *trace)
    for glob in ('nothing', '*.nothing', 'a.prt.*', ',,x', 'x' * 4000, 'x' * 10**5, '\u00fc'):
        yield bad('--trace-filter', glob, *trace)
    yield bad('--trace-from', '2us', '--trace-to', '1us', *trace, place='--trace-')
    for suffix in ('', '.fst.gz', '.FST', '.json', '/'):
        yield bad('--trace', f't{suffix}')
        yield bad('--pcap', f't{suffix}')
    yield bad('--timeline', 't.txt')
    yield bad('--trace', 'c.vcd', '--report', 'c.vcd.fst', says='another name')
    yield bad('--trace', 'c.fst', '--report', 'c.fst.hier', says='another name')
    for name in (b'\xff\n.txt', 'n' * 5000 + '.txt'):
        yield Mutant(f'--pcap {name[:9]!r}', arguments=('--pcap', name), place='--pcap')
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

    def symlink(folder):
        (folder / 'o.json').symlink_to('r.json')

    def hard_link(folder):
        (folder / 'o.json').touch()
        os.link(folder / 'o.json', folder / 'r.json')

    yield clash('and a timeline in one file', '--report', 'o.json', '--timeline', 'o.json')
    yield clash('and a trace in one file', '--report', 'o.fst', '--trace', 'o.fst')
    yield clash('and a timeline by ./', '--report', 'o.json', '--timeline', './o.json')
    yield clash('and a timeline by ..', '--report', 'o.json', '--timeline', 'd/../o.json',
                prepare=lambda folder: (folder / 'd').mkdir())
    yield clash('and a timeline by a link', '--report', 'r.json', '--timeline', 'o.json',
                prepare=symlink)
    yield clash('and a timeline by a hard link', '--report', 'r.json', '--timeline', 'o.json',
                prepare=hard_link)
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
    yield make('is a folder', '../', says=('directory',))
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


def every(doc):
    """All groups of these mutants, by name."""
    return {'assignments': list(assignments(doc)), 'command_lines': list(command_lines()),
            'outputs': list(outputs()), 'files': list(files())}
