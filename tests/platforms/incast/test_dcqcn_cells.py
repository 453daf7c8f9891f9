"""DCQCN's loop closed through testers and a switch, beside a plain simulation of the rules of Zhu
et al. (SIGCOMM 2015): platforms/incast/dcqcn_reference.yaml says what is made alike.

test_dcqcn_cells.py short | long"""

import math
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase, source  # noqa: E402

PACKET, QUEUED = 1106, 1086  # bytes of the line, and of the queue
CNP = 8 + 78                 # bytes of the line to its last bit
FEEDBACK_NS = 4000

# (Gb/s, senders): mean queue in KB of 1,106 B packets, alpha, standard deviation of the queue
REFERENCE = {(40, 2): (26.2, 0.109, 20), (40, 8): (123, 0.156, 45), (100, 2): (10.9, 0.091, 10),
             (100, 8): (44.3, 0.126, 21), (400, 8): (12.1, 0.098, 9), (400, 32): (44.3, 0.128, 15)}
MOST_GBPS = 1024 / 1106


def cnp_delay_ns(gbps):
    """What is left of the feedback's 4 us: the packet goes over one link of 5 ns, the CNP over two;
    dcqcn_np takes 3.5 cycles of 1 ns on average, dcqcn_rp 13.5."""
    on_lines = (PACKET - 12 + 2 * CNP) * 8 / gbps + 3 * 5
    return round(FEEDBACK_NS - on_lines - 17)


class Cell(PlatformCase):
    executable = os.environ['INCAST']

    def cell(self, gbps, senders, *arguments, until=500, warm_up=250, **settings):
        """One run of so many ms."""
        run = self.run_platform(
            '--config', source('platforms/incast/dcqcn_reference.yaml'), '--no-expect', *arguments,
            **{'link.rate': f'{gbps}Gbps', 'traffic.senders': senders,
               'tester.cnp.delay': f'{cnp_delay_ns(gbps)}ns', 'congestion.engine': 'model',
               'until': f'{until}ms', 'warm_up': f'{warm_up}ms', **settings})
        flows = range(senders)
        run.queue_kb = run[f'sw0.port{senders}.queue_bytes_mean'] * PACKET / QUEUED / 1000
        run.alpha = sum(run[f'flow{i}.alpha'] for i in flows) / senders
        measured_ns = (until - warm_up) * 1e6
        run.gbps = run[f'h{senders}.nic0.received_payload'] * 8 / measured_ns
        return run

    def assert_near(self, value, expected, part):
        self.assertLessEqual(abs(value / expected - 1), part, f'{value} is not {expected}')

    def assert_like_reference(self, gbps, senders, **settings):
        run = self.cell(gbps, senders, **settings)
        queue, alpha, _ = REFERENCE[gbps, senders]
        self.assert_near(run.queue_kb, queue, 0.20)
        self.assert_near(run.alpha, alpha, 0.10)
        self.assertGreaterEqual(run['total.fairness_jain'], 0.98)
        self.assertGreaterEqual(run.gbps, 0.99 * gbps * MOST_GBPS)
        self.assertEqual(run['total.dropped_frames'], 0)
        return run

    def assert_pair(self, first, second):
        self.assert_near(first.queue_kb, second.queue_kb, 0.15)
        self.assert_near(first.alpha, second.alpha, 0.10)


class Short(Cell):
    def deviation_kb(self, point):
        """Mean and standard deviation over time of the queue, in KB, read from the trace."""
        signal = 'sw0.port8.queue3_bytes'
        begin, end = 250, 300  # ms
        run = self.cell(40, 8, '--trace-filter', signal, '--trace-from', f'{begin}ms',
                        outputs=('report', 'trace'), name=point, switch__ecn__point=point,
                        until=end)
        changes = run.waves[signal].changes
        area = square = 0
        for (at, value), (until, _) in zip(changes, changes[1:]):
            area += value * (until - at)
            square += value * value * (until - at)
        lasted = changes[-1][0] - changes[0][0]
        self.assertGreater(lasted, 0.9 * (end - begin) * 1e9)
        mean = area / lasted
        scale = PACKET / QUEUED / 1000
        return mean * scale, math.sqrt(square / lasted - mean * mean) * scale

    def test_40g_of_8(self):
        self.assert_like_reference(40, 8)

    def test_40g_of_8_settles_with_marks_at_dequeue_and_not_at_enqueue(self):
        mean, deviation = self.deviation_kb('dequeue')
        self.assert_near(mean, 123, 0.20)
        self.assert_near(deviation, 45, 0.30)
        mean, deviation = self.deviation_kb('enqueue')
        self.assert_near(mean, 68, 0.20)
        self.assert_near(deviation, 71, 0.20)


class Long(Cell):
    def test_cells_and_pairs_of_one_capacity_a_flow(self):
        few = self.assert_like_reference(100, 2)
        many = self.assert_like_reference(100, 8)
        self.assert_pair(few, self.assert_like_reference(400, 8, until=200, warm_up=100))
        self.assert_pair(many, self.assert_like_reference(400, 32, until=200, warm_up=100))

    def test_the_rtl_gives_the_same_run(self):
        model, rtl = (self.cell(40, 8, name=engine, until=100, warm_up=50,
                                **{'congestion.engine': engine}) for engine in ('model', 'rtl'))
        self.assertEqual(model.metrics, rtl.metrics)


if __name__ == '__main__':
    suite = {'short': Short, 'long': Long}[sys.argv.pop(1)]
    unittest.main(defaultTest=suite.__name__)
