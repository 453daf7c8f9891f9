"""What the tests of rdma_perf share: its runs, and the ceilings of RoCE v2 written anew."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase  # noqa: E402

# Ethernet, IPv4, UDP, BTH, ICRC, FCS, preamble and gap.
OVERHEAD = 14 + 20 + 8 + 12 + 4 + 4 + 20
RETH = 16


def write_ceiling(size, mtu, rate):
    """Gb/s of WRITEs."""
    packets = -(-size // mtu)
    return rate * size / (size + packets * OVERHEAD + RETH)


class RdmaCase(PlatformCase):
    executable = os.environ['RDMA_PERF']

    def run_rdma(self, *arguments, sizes=None, **settings):
        """The default configuration without its expectations, or the one in `arguments`. Bytes
        are carried unless a test or that configuration says otherwise."""
        if not arguments:
            settings.setdefault('data', 'carried')
        if sizes is not None:
            settings['sizes'] = '[' + ', '.join(f'{size}B' for size in sizes) + ']'
        return self.run_platform('--no-expect', *arguments, **settings)

    def assert_near(self, value, wanted, share, text=''):
        self.assertLess(abs(value / wanted - 1), share, f'{value} is not {wanted} {text}')

    def assert_good(self, run):
        self.assertEqual(run['total.unfinished_programs'], 0)
        self.assertEqual(run['total.wrong_bytes'], 0)
        self.assertEqual(run['total.dropped_frames'], 0)
