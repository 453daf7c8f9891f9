"""What is wrong in a configuration is refused before anything runs: exit code 2, one line that names
the place and the remedy, and no file made or changed."""

import os
import tempfile
import unittest

from hbm_case import HbmCase
from refusals import Bench, Mutant, refused

GOOD = """hbm:
  organisation: {stacks: 1, channels: 1, sids: 1}
traffic:
  pattern: sequential
  requests: 100
"""


def assigned(name, *assignments, says=(), place='--set'):
    arguments = tuple(word for a in assignments for word in ('--set', a))
    return Mutant(name, arguments=arguments, place=place, says=says)


CASES = (
    Mutant('an unknown key', config=(GOOD + '  request: 5\n').encode(), place='c.yaml:6:',
           says=('requests',)),
    assigned('an unknown pattern', 'traffic.pattern=randm', says=('random',)),
    assigned('more than all reads', 'traffic.reads=1.5'),
    assigned('a size without unit', 'traffic.size=32', says=('unit',)),
    assigned('a size of nothing', 'traffic.size=0B'),
    assigned('none outstanding', 'traffic.outstanding=0'),
    assigned('no request', 'traffic.requests=0'),
    assigned('no load', 'traffic.load=0'),
    assigned('more than all load', 'traffic.load=1.01'),
    assigned('a closed and an open loop', 'traffic.load=0.5', 'traffic.outstanding=64',
             says=('traffic.outstanding',)),
    assigned('a stride without its pattern', 'traffic.stride=64B', says=('pattern: stride',)),
    assigned('a pattern without its stride', 'traffic.pattern=stride', says=('stride',)),
    assigned('a block without its pattern', 'traffic.block=8KiB', says=('pattern: blocks',)),
    assigned('bulks without blocks', 'traffic.bulk=true', says=('pattern: blocks',)),
    assigned('a block of no whole requests', 'traffic.pattern=blocks', 'traffic.block=100B',
             says=('multiple',)),
    assigned('arrays without their pattern', 'traffic.arrays=[read]', says=('pattern: streams',)),
    assigned('an array for nothing', 'traffic.pattern=streams', 'traffic.arrays=[copy]',
             says=('read or write',)),
    assigned('a share of reads of arrays', 'traffic.pattern=streams', 'traffic.reads=0.5',
             says=('pattern',)),
    assigned('a trace without a file', 'traffic.pattern=trace', says=('trace',)),
    assigned('a file without a trace', 'traffic.trace=x', says=('pattern: trace',)),
    assigned('a file that is not there', 'traffic.pattern=trace', 'traffic.trace=absent.trace',
             says=('absent.trace',), place=''),
    assigned('a footprint beyond the device', 'traffic.footprint=1GiB', says=('536870912',)),
    assigned('a base beyond the device', 'traffic.base=512MiB', says=('traffic.base',)),
    assigned('a footprint without room', 'traffic.footprint=16B', says=('at least 32B',)),
    assigned('two ways to end', 'traffic.duration=1us', 'traffic.requests=5',
             says=('leave one',)),
    assigned('a curve of a load twice', 'curve=[0.1, 0.1]', says=('twice',)),
    assigned('a curve and a load', 'curve=[0.1]', 'traffic.load=0.5', says=('traffic.load',)),
    assigned('a background that does nothing', 'background.reads=0.1', says=('load',)),
    assigned('a background beyond the device', 'background.load=0.1', 'background.size=1GiB',
             says=('background.size',)),
    assigned('a file of commands in no folder', 'command_trace=absent/x', says=('command_trace',)),
    assigned('a folder for commands', 'command_trace=.', says=('folder',)),
    assigned('an unknown preset', 'hbm.preset=h1000', says=('h100',)),
    Mutant('an expectation of no metric', config=(GOOD + 'expect:\n  - {metric: total.bandwidth, '
                                                  'min: 1}\n').encode(),
           says=('total.bandwidth',)),
)


class BadInput(unittest.TestCase):
    def test_wrong_configurations_are_refused_at_their_place(self):
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(os.environ['HBM_BANDWIDTH'], GOOD, folder)
            bad = refused(bench, 'hbm', CASES)
        self.assertFalse(bad, f'{len(bad)} of {len(CASES)}\n' + '\n'.join(bad))


class Ends(HbmCase):
    def test_the_configuration_that_is_broken_here_is_good(self):
        run = self.run_platform('--config', self.config(GOOD))
        self.assertEqual(run['total.unfinished_requests'], 0)

    def test_a_run_that_is_cut_says_what_is_not_done(self):
        run = self.run_one('--until', '1us', traffic__requests=100000)
        self.assertEqual(run.report['end'], 'until')
        self.assertGreater(run['total.unfinished_requests'], 90000)
        self.assertAlmostEqual(run['total.time_ns'], 1000, delta=1e-6)

    def test_a_duration_ends_what_is_given(self):
        run = self.run_one(traffic__duration='10us', traffic__load=0.3)
        self.assertEqual(run.report['end'], 'drained')
        self.assertLess(run['total.completion_ns'], 11000)
        self.assertGreater(run['total.latency_ns_count'], 3000)

    def test_a_warm_up_is_not_measured(self):
        run = self.run_one('--set', 'warm_up=5us', traffic__duration='15us')
        self.assertAlmostEqual(run['total.time_ns'], 10000, delta=1)
        self.assertLess(run['hbm.bytes_read'], 0.75 * 41.9 * 15000)

    def test_describing_makes_no_file_of_commands(self):
        path = self.folder / 'commands.txt'
        self.run_one('--describe', outputs=(), command_trace=str(path))
        self.assertFalse(path.exists())


if __name__ == '__main__':
    unittest.main()
