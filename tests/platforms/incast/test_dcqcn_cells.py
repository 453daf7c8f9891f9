"""DCQCN's loop closed through testers and a switch, beside a plain simulation of the rules of Zhu
et al. (SIGCOMM 2015): platforms/incast/dcqcn_reference.yaml says what is made alike.

test_dcqcn_cells.py short | long"""

import math
import sys
import unittest

from dcqcn_reference import FEEDBACK_NS, PACKET, QUEUED, Cell, on_lines_ns


class TesterCell(Cell):
    config = 'dcqcn_reference.yaml'
    delay = 'tester.cnp.delay'
    received = 'received_payload'

    def cnp_delay_ns(self, gbps):
        """dcqcn_np takes 3.5 cycles of 1 ns on average, dcqcn_rp 13.5."""
        return round(FEEDBACK_NS - on_lines_ns(gbps) - 17)


class Short(TesterCell):
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


class Long(TesterCell):
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
