"""The saved views of GTKWave (waveforms/*.gtkw): what each shows of which run, and their lines."""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import generated
import tree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
import vcd

FOLDER = tree.ROOT / 'waveforms'
US = 1_000_000  # picoseconds

# Of a row's flags, as GTKWave's analyzer.h has them.
BLANK, ANALOG, REST_OF_ANALOG = 0x200, 0x18000, 0x20000
GROUP, GROUP_END, ENUM = 0x800000, 0x1000000, 0x100000000

# The window in pixels, and what of it is not waves when the signals have their `signals_width`.
WIDTH = 1040
BESIDE_WAVES = 23


class Edge:
    """When bits of a signal first become one, or zero again; `metric`: what the report calls it."""

    def __init__(self, signal, mask=1, falls=False, metric=None):
        self.signal, self.mask, self.falls, self.metric = signal, mask, falls, metric

    def time(self, waves):
        before = None
        for time, value in waves[self.signal].changes:
            now = bool(value & self.mask)
            if before is not None and now != before and before == self.falls:
                return time
            before = now
        raise ValueError(f'{self.signal} has no such edge')

    def reported(self, report):
        """The same, from the report; None if it does not say it."""
        found = report['metrics'].get(self.metric)
        return None if found is None else round(found['value'] * US)


class View:
    """`markers`: {name: Edge}, in order A, B, ...; blanks before a name move it to the right
    of its line. `cursor`: where values are shown. `window`: its first and last event, and picoseconds
    from each."""

    def __init__(self, name, config, markers, cursor, window):
        self.name, self.config, self.markers = name, config, markers
        self.cursor, self.window = cursor, window
        self.platform = pathlib.Path(config).parts[0]
        self.save = FOLDER / f'{name}.gtkw'
        self.picture = FOLDER / f'{name}.png'


# A receiver's first frame is a CNP: by then no ACK is due.
_FIRSTS = {'mark': Edge('sw0.port8.ecn_marker.dec_o', metric='total.first_mark_us'),
           '      CNP': Edge('h8.link0.tx_busy', metric='total.first_cnp_us'),
           'XOFF': Edge('sw0.port4.xoff_sent', 8, metric='total.first_xoff_us')}
_STORM = {'stuck': Edge('h0.nic0.xoff_sent'), 'goes on': Edge('h0.nic0.xoff_sent', falls=True),
          'storm': Edge('sw0.port1.watchdog', 8),
          'restored': Edge('sw0.port1.watchdog', 8, falls=True)}
VIEWS = [
    View('incast', 'incast/incast.yaml', _FIRSTS, 'XOFF', ('mark', -3 * US, 'XOFF', 7 * US)),
    View('incast_loop', 'incast/incast.yaml', {'XOFF': _FIRSTS['XOFF']}, 'XOFF',
         ('XOFF', -60 * US, 'XOFF', 1250 * US)),
    View('pfc_storm', 'pfc_storm/pfc_storm.yaml', _STORM, 'goes on',
         ('stuck', -30 * US, 'restored', 180 * US)),
]


class Row:
    """A signal in a save: `bit` of it if not None; `range` as written, '' without."""

    LINE = re.compile(r'^(?:\+\{(?P<alias>[^}]*)\} )?(?:\((?P<bit>\d+)\))?'
                      r'(?P<name>(?=[a-z])\w+(?:\[\d+\])?(?:\.\w+(?:\[\d+\])?)+)'
                      r'(?P<range>\[\d+:\d+\])?$')

    def __init__(self, match, flags):
        self.name, self.flags, self.alias = match['name'], flags, match['alias']
        self.range = match['range'] or ''
        self.width = int(self.range[1:].split(':')[0]) + 1 if self.range else 1
        self.bit = None if match['bit'] is None else self.width - 1 - int(match['bit'])

    def shown(self, value):
        return value if self.bit is None else value >> self.bit & 1


class Save:
    """`lines`: (flags, Row or None) of each line of the window; `markers`: [picosecond]."""

    def __init__(self, text):
        self.lines, flags = [], 0
        for line in text.splitlines():
            match = Row.LINE.match(line)
            if line.startswith('@'):
                flags = int(line[1:], 16)
            elif match:
                self.lines.append((flags, Row(match, flags)))
            elif line.startswith('-'):
                self.lines.append((flags, None))
        positions = re.search(r'^\*(.*)$', text, re.MULTILINE)[1].split()
        self.cursor = int(positions[1])
        self.markers = [int(p) for p in positions[2:] if int(p) >= 0]
        self.marker_names = re.findall(r'^\[markername\] [A-Z](.*)$', text, re.MULTILINE)
        self.begin = int(re.search(r'^\[timestart\] (\d+)$', text, re.MULTILINE)[1])
        pixels = WIDTH - BESIDE_WAVES - int(re.search(r'^\[signals_width\] (\d+)$', text,
                                                      re.MULTILINE)[1])
        self.end = self.begin + round(pixels * 2 ** -float(positions[0]) / 200)

    @property
    def rows(self):
        return [row for _, row in self.lines if row is not None]


def load(view):
    return Save(view.save.read_text(encoding='utf-8'))


def _blocks():
    return {file.stem for file in tree.files(tree.ROOT, ('.sv',)) if file.parts[0] == 'rtl'}


def _filter(names):
    """Takes them; a block of the RTL is one name."""
    blocks, taken = _blocks(), set()
    for name in names:
        parts = name.split('.')
        ends = [i + 1 for i, part in enumerate(parts) if part in blocks]
        taken.add('.'.join(parts[:ends[0] if ends else len(parts)]))
    return ','.join(sorted(taken))


def run(config, names, folder, *more):
    """(report, trace of `names`: its path) of the whole run of a configuration."""
    platform = pathlib.Path(config).parts[0]
    trace, report = pathlib.Path(folder, f'{platform}.fst'), pathlib.Path(folder, 'report.json')
    subprocess.run([generated.executable(platform, tree.BUILD),
                    '--config', tree.ROOT / 'platforms' / config, '--quiet', '--trace', trace,
                    '--trace-filter', _filter(names), '--report', report, *more],
                   cwd=folder, check=True,
                   env={**os.environ, 'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'})
    return json.loads(report.read_text(encoding='utf-8')), trace


def names_of(views):
    """All signals that the views show, or that their markers need."""
    markers = {edge.signal for view in views for edge in view.markers.values()}
    return {row.name for view in views for row in load(view).rows} | markers


def times(view, waves):
    """{name of a marker: picosecond} as the run has them."""
    return {name: edge.time(waves) for name, edge in view.markers.items()}


def window(view, at):
    first, before, last, after = view.window
    return max(at[first] + before, 0), at[last] + after


def placed(view, text, at):
    """The text of a save with its window and markers where the run has them."""
    begin, end = window(view, at)
    width = int(re.search(r'^\[signals_width\] (\d+)$', text, re.MULTILINE)[1])
    zoom = math.log2((end - begin) / (WIDTH - BESIDE_WAVES - width) * 200)
    positions = [at[name] for name in view.markers]
    positions += [-1] * (26 - len(positions))
    names = ''.join(f'\n[markername] {chr(ord("A") + i)}{name}'
                    for i, name in enumerate(view.markers))
    text = re.sub(r'\n\[markername\] .*', '', text)
    text = re.sub(r'^\[timestart\] .*$', f'[timestart] {begin}', text, flags=re.MULTILINE)
    return re.sub(r'^\*.*$', f'*-{zoom:.6f} {at[view.cursor]} ' +
                  ' '.join(map(str, positions)) + names, text, flags=re.MULTILINE)
