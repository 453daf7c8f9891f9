"""Reads a VCD, and an FST by way of GTKWave's fst2vcd."""

import bisect
import subprocess


class Signal:
    """Values over time: changes is [(picosecond, int)], each unlike the one before; of floats if
    it is real."""

    def __init__(self, width, real=False):
        self.width = width
        self.real = real
        self.enum = None  # of a state: {value: name}
        self.changes = []

    def at(self, time):
        index = bisect.bisect_right(self.changes, (time, float('inf'))) - 1
        return self.changes[index][1] if index >= 0 else None

    @property
    def values(self):
        return [value for _, value in self.changes]

    def area(self, begin, end):
        """The integral of the value over time."""
        ends = [time for time, _ in self.changes[1:]] + [end]
        return sum(value * max(min(until, end) - max(since, begin), 0)
                   for (since, value), until in zip(self.changes, ends))

    def rising(self):
        """Times at which it became 1 from 0."""
        pairs = zip(self.changes, self.changes[1:])
        return [time for (_, before), (time, after) in pairs if (before, after) == (0, 1)]


class Waves:
    def __init__(self):
        self.signals = {}
        self.begin = None  # the first time stamp
        self.end = None  # and the last

    def __getitem__(self, name):
        return self.signals[name]


def parse(text):
    """Takes what fst2vcd -e says of enums too: GTKWave's $attrbegin misc 07."""
    header, body = text.split('$enddefinitions $end', 1)
    waves, by_code = _declarations(header)
    time = None
    for line in body.split('\n'):
        kind = line[:1]
        if kind == '#':
            time = int(line[1:])
            if waves.begin is None:
                waves.begin = time
        elif kind and kind in '01xbr':
            value, code = line[1:].split(' ') if kind in 'br' else (kind, line[1:])
            if 'x' in value:  # before its first value
                continue
            changes = by_code[code]
            value = float(value) if kind == 'r' else int(value, 2)
            if not changes or changes[-1][1] != value:
                changes.append((time, value))
        elif line and not line.startswith('$'):
            raise ValueError(f'not of a VCD: {line!r}')
    waves.end = time
    return waves


def _declarations(header):
    waves, by_code, scopes, tables, enum = Waves(), {}, [], {}, None
    for statement in header.split('$end'):
        words = statement.split()
        if not words:
            continue
        if words[0] == '$scope':
            scopes.append(words[2])
        elif words[0] == '$upscope':
            scopes.pop()
        elif words[:3] == ['$attrbegin', 'misc', '07'] and words[3] != '""':
            count = int(words[4])
            names, codes = words[5:5 + count], words[5 + count:5 + 2 * count]
            tables[words[-1]] = {int(code, 2): name for code, name in zip(codes, names)}
        elif words[:3] == ['$attrbegin', 'misc', '07']:
            enum = tables[words[-1]]
        elif words[0] == '$var':
            signal = Signal(int(words[2]), words[1] == 'real')
            signal.changes = by_code.setdefault(words[3], signal.changes)  # which names may share
            signal.enum, enum = enum, None
            waves.signals['.'.join(scopes + [words[4]])] = signal
        elif words[0] == '$timescale' and words[1:] != ['1ps']:
            raise ValueError(statement)
    return waves, by_code


def text_of_fst(path):
    return subprocess.run(['fst2vcd', '-e', '-f', path], check=True, capture_output=True,
                          text=True).stdout


def read_fst(path):
    return parse(text_of_fst(path))
