"""What the tests of the platform cc_block share."""

import csv
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase, source  # noqa: E402

GOLDEN = pathlib.Path(__file__).with_name('golden')
FOLDER = source('platforms/cc_block')
# The shipped configuration of each block.
BLOCKS = {re.search(r'^block: (\w+)$', config.read_text(), re.MULTILINE)[1]: config
          for config in sorted(FOLDER.glob('*.yaml'))}
ENGINES = ('rtl', 'model')
CLOCKINGS = ('gated', 'free_running')
PERIOD = 1000  # ps, as shipped


class CcBlockCase(PlatformCase):
    executable = os.environ['CC_BLOCK']

    def run_block(self, block, engine='rtl', clocking='gated', name=None, **settings):
        """The shipped configuration of a block; its Run has `response`, a path."""
        name = name or f'{block}_{engine}_{clocking}'
        response = self.folder / f'{name}.csv'
        run = self.run_platform('--config', BLOCKS[block], '--no-expect', name=name,
                                response=str(response), congestion__engine=engine,
                                congestion__clocking=clocking, **settings)
        run.response = response
        return run

    def run_stimulus(self, text, *arguments, block='pfc_gen', **settings):
        path = self.folder / 'stimulus.csv'
        path.write_text(text)
        return self.run_block(block, *arguments, stimulus=str(path), **settings)


def each_way(block):
    return [(block, engine, clocking) for engine in ENGINES for clocking in CLOCKINGS]


def cycles_of(block):
    """Of the run with its shipped stimulus."""
    last = (FOLDER / 'stimuli' / f'{block}.csv').read_text().splitlines()[-1]
    return int(last.split(',')[0]) + 1


def inputs_by_cycle(stimulus, cycles):
    """What a stimulus says of each cycle, read anew: {input: value}."""
    lines = [line for line in stimulus.read_text().splitlines() if not line.startswith('#')]
    given = {int(row.pop('cycle')): row for row in csv.DictReader(lines)}
    found, level = [], {}
    for cycle in range(cycles):
        pulses = {}
        for name, text in given.get(cycle, {}).items():
            if text:
                (pulses if text.endswith('!') else level)[name] = int(text.rstrip('!'), 0)
        found.append({**level, **pulses})
    return found


def watched(block):
    """The key watch_context of the shipped configuration, if it is there."""
    found = re.search(r'^watch_context: (\d+)$', BLOCKS[block].read_text(), re.MULTILINE)
    return {'watch_context': int(found[1])} if found else {}


def rows(path):
    """A response: a list of {column: number}."""
    with open(path, newline='') as file:
        return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]


def by_cycle(path, cycles):
    """What a response says of each cycle, without the column cycle."""
    found, left = [], rows(path)
    for cycle in range(cycles):
        if left and left[0]['cycle'] == cycle:
            last = {name: value for name, value in left.pop(0).items() if name != 'cycle'}
        found.append(last)
    assert not left
    return found


def signal(port):
    """The name of a port's signal: depth_i[3] is depth_i_3."""
    return port.replace('[', '_').replace(']', '')
