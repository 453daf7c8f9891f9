"""The cells of a plain simulation of DCQCN's rules (Zhu et al., SIGCOMM 2015), and what tests of
them share: platforms/incast/dcqcn_reference.yaml says what is made alike."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase, source  # noqa: E402

PACKET, QUEUED = 1106, 1086  # bytes of the line, and of the queue
TO_LAST_BIT = PACKET - 12    # without the gap
CNP = 8 + 78                 # bytes of the line to its last bit
PROPAGATION_NS = 5
FEEDBACK_NS = 4000           # from a marked packet's leaving the queue to its sender's cut

# (Gb/s, senders): mean queue in KB of 1,106 B packets, alpha, standard deviation of the queue
REFERENCE = {(40, 2): (26.2, 0.109, 20), (40, 8): (123, 0.156, 45), (100, 2): (10.9, 0.091, 10),
             (100, 8): (44.3, 0.126, 21), (400, 8): (12.1, 0.098, 9), (400, 32): (44.3, 0.128, 15)}
MOST_GBPS = 1024 / 1106


def on_lines_ns(gbps):
    """The marked packet goes over one link, the CNP over two."""
    return (TO_LAST_BIT + 2 * CNP) * 8 / gbps + 3 * PROPAGATION_NS


class Cell(PlatformCase):
    """`config` is the configuration's file, `delay` the key of the CNPs' delay, `received` the
    receiver's metric of payload bytes; cnp_delay_ns(gbps) is what is left of FEEDBACK_NS."""

    executable = os.environ['INCAST']

    def cell(self, gbps, flows, *arguments, hosts=None, until=500, warm_up=250, **settings):
        """One run of so many ms. `hosts`: those that the flows come from; by default one each."""
        receiver = hosts or flows
        run = self.run_platform(
            '--config', source(f'platforms/incast/{self.config}'), '--no-expect', *arguments,
            **{'link.rate': f'{gbps}Gbps', self.delay: f'{self.cnp_delay_ns(gbps)}ns',
               'congestion.engine': 'model', 'until': f'{until}ms', 'warm_up': f'{warm_up}ms',
               **self.traffic(flows, hosts), **settings})
        run.queue_kb = run[f'sw0.port{receiver}.queue_bytes_mean'] * PACKET / QUEUED / 1000
        run.alpha = sum(run[f'flow{i}.alpha'] for i in range(flows)) / flows
        measured_ns = (until - warm_up) * 1e6
        run.gbps = run[f'h{receiver}.nic0.{self.received}'] * 8 / measured_ns
        return run

    @staticmethod
    def traffic(flows, hosts):
        if hosts is None:
            return {'traffic.senders': flows}
        rows = [{'source': f'h{i % hosts}', 'destination': f'h{hosts}'} for i in range(flows)]
        return {'topology.hosts': hosts + 1,
                'traffic': {'pattern': 'list', 'flows': rows, 'messages': 10**6,
                            'message_size': '1MiB'}}

    def assert_near(self, value, expected, part):
        self.assertLessEqual(abs(value / expected - 1), part, f'{value} is not {expected}')

    def assert_like_reference(self, gbps, flows, **settings):
        run = self.cell(gbps, flows, **settings)
        queue, alpha, _ = REFERENCE[gbps, flows]
        self.assert_near(run.queue_kb, queue, 0.20)
        self.assert_near(run.alpha, alpha, 0.10)
        self.assertGreaterEqual(run['total.fairness_jain'], 0.98)
        self.assertGreaterEqual(run.gbps, 0.99 * gbps * MOST_GBPS)
        self.assertEqual(run['total.dropped_frames'], 0)
        return run

    def assert_pair(self, first, second):
        self.assert_near(first.queue_kb, second.queue_kb, 0.15)
        self.assert_near(first.alpha, second.alpha, 0.10)
