"""What the tests against other simulators share."""

import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / 'support'))

from platform_run import PlatformCase, source  # noqa: E402

# A packet of HPCC's ns-3 simulator on the line, in ns: as it should be, and as it is cut there.
SLOWER = 83.84 / 83
PACKET_NS = 83.84


class PeersCase(PlatformCase):
    executable = os.environ['INCAST']

    def run_text(self, text, *arguments, **settings):
        """One run of a configuration given as text."""
        path = self.folder / 'given.yaml'
        path.write_text(text)
        return self.run_platform('--config', path, *arguments, **settings)

    def assert_lossless(self, run):
        self.assertEqual((run['total.dropped_frames'], run['total.unfinished_flows']), (0, 0))

    def run_peers(self, config, *arguments, senders=8, **settings):
        """One run of platforms/incast/peers_<config>.yaml: its Run, which knows its senders."""
        run = self.run_platform('--config', source(f'platforms/incast/peers_{config}.yaml'),
                                *arguments, **{'expect': [], **settings})
        run.senders = range(senders)
        run.queue_packets = run[f'sw0.port{senders}.queue_bytes_peak'] / 1030
        run.marks = run[f'sw0.port{senders}.ecn_marked']
        return run

    def assert_near(self, value, expected, part):
        self.assertLessEqual(abs(value / expected - 1), part, f'{value} is not {expected}')


def total(run, metric):
    """Over the senders: 'sw0.port{}.pfc_xoff_sent'."""
    return sum(run[metric.format(i)] for i in run.senders)


def pauses(run):
    return total(run, 'sw0.port{}.pfc_xoff_sent') - total(run, 'sw0.port{}.pfc_refresh_sent')
