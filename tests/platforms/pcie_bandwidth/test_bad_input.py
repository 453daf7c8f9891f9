"""What is wrong in a configuration is refused before anything runs: exit code 2, one line that names
the place and the remedy, and no file made or changed."""

import os
import pathlib
import tempfile
import unittest

from pcie_case import PcieCase
from refusals import Bench, Mutant, refused

GOOD = """data: elided
topology: switch
devices: 2
host:
  root:
    iommu: {enabled: false}
traffic:
  pattern: both
  sizes: [64B, 4KiB]
"""
LINE = {line.split(':')[0].strip(): number
        for number, line in enumerate(GOOD.splitlines(), 1)}


def with_line(key, text):
    """The good configuration with another line for a key, and where that is."""
    lines = GOOD.splitlines(keepends=True)
    lines[LINE[key] - 1] = text + '\n'
    return ''.join(lines).encode(), f'c.yaml:{LINE[key]}:'


def replaced(name, key, text, *says):
    config, place = with_line(key, text)
    return Mutant(name, config=config, place=place, says=says)


def added(name, text, *says, place=None):
    """The good configuration with lines at its end, in traffic."""
    first = len(GOOD.splitlines()) + 1
    return Mutant(name, config=(GOOD + text + '\n').encode(),
                  place=f'c.yaml:{first}:' if place is None else place, says=says)


def assigned(name, *assignments, says=()):
    arguments = tuple(word for a in assignments for word in ('--set', a))
    return Mutant(name, arguments=arguments, place='--set', says=says)


CASES = (
    added('an unknown key', '  size: [64B]', 'sizes'),
    replaced('an unknown key at the root', 'devices', 'device_count: 2', 'devices'),
    replaced('an unknown pattern', 'pattern', '  pattern: reads', 'read'),
    replaced('an unknown topology', 'topology', 'topology: ring', 'direct'),
    replaced('no size', 'sizes', '  sizes: []', 'sizes'),
    replaced('a size without unit', 'sizes', '  sizes: [64]', 'unit'),
    replaced('a size of nothing', 'sizes', '  sizes: [0B]'),
    replaced('a size too large', 'sizes', '  sizes: [2MiB]'),
    replaced('a size twice', 'sizes', '  sizes: [64B, 128B, 64B]', '64B stands there twice'),
    replaced('no device', 'devices', 'devices: 0'),
    replaced('too many devices', 'devices', 'devices: 17'),
    added('a region too small', '  region: 4KiB\n  offset: 1B', 'ends beyond it', '4097B'),
    added('a region of no whole pages', '  region: 5000B', '4KiB'),
    added('regions larger than memory', '  region: 512MiB', 'larger than the memory'),
    added('transfers that overlap', '  stride: 100B', 'overlap'),
    added('a node that is not there', '  memory_node: 1', '1 NUMA nodes'),
    added('no transfer', '  transfers: 0'),
    added('none outstanding', '  outstanding: 0'),
    assigned('fences without reads', 'traffic.pattern=write', 'traffic.fenced=true'),
    assigned('an odd peer', 'traffic.pattern=peer', 'devices=3', says=('pairs',)),
    assigned('peers with a region beyond their memory', 'traffic.pattern=peer',
             'device_memory.size=1MiB', 'traffic.region=2MiB', says=("device's memory",)),
    assigned('peers behind an IOMMU', 'traffic.pattern=peer_both', 'host.root.iommu.enabled=true',
             says=('host memory',)),
    assigned('a memory of no power of two', 'device_memory.size=3MiB'),
    assigned('memories beyond their window', 'devices=16', 'device_memory.size=16GiB',
             'host.map.mmio64_size=128GiB', says=('window',)),
    assigned('redirection without a switch', 'topology=direct',
             'host.enumeration.acs_redirect=true', says=('switch',)),
    assigned('credits for less than a payload', 'host.root.credits.posted_data=15',
             says=('at least 16',)),
    assigned('credits of a device for less than a payload', 'device.credits.posted_data=15'),
    assigned('pages that memory is no multiple of', 'host.root.iommu.enabled=true',
             'host.root.iommu.page_size=1GiB', 'host.memory.size=512MiB'),
    assigned('a link of three lanes', 'link.lanes=3'),
    assigned('a generation to come', 'link.generation=6'),
    assigned('tags that no device has', 'device.dma.tags=64'),
    Mutant('a warm-up', arguments=('--set', 'warm_up=1us'), place='', says=('warm_up',)),
    Mutant('an expectation of no metric', config=(GOOD + 'expect:\n  - {metric: size65.time_ns, '
                                                  'min: 1}\n').encode(), says=('size65',)),
)


class BadInput(unittest.TestCase):
    def test_wrong_configurations_are_refused_at_their_place(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(os.environ['PCIE_BANDWIDTH'], GOOD, folder)
            bad = refused(bench, 'pcie', CASES)
        self.assertFalse(bad, f'{len(bad)} of {len(CASES)}\n' + '\n'.join(bad))


class Stuck(PcieCase):
    def test_the_configuration_that_is_broken_here_is_good(self):
        path = pathlib.Path(self.folder) / 'good.yaml'
        path.write_text(GOOD)
        run = self.run_pcie('--config', path, traffic__transfers=50)
        self.assertEqual(run['total.unfinished_transfers'], 0)

    def test_a_run_that_is_cut_says_what_is_not_done(self):
        run = self.run_pcie('--until', '40us')
        self.assertEqual(run.report['end'], 'until')
        self.assertGreater(run['total.unfinished_transfers'], 0)


if __name__ == '__main__':
    unittest.main()
