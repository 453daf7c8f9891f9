"""Parts of a latency sum to the whole, and a message over the inline limit costs a read of memory."""

import unittest

from rdma_case import RdmaCase


class Latency(RdmaCase):
    def test_parts_sum_to_the_whole(self):
        for test, sizes in (('write', (2, 4096)), ('send', (2, 4096)), ('read', (4096,))):
            run = self.run_rdma(name=test, test=test, measure='latency', sizes=sizes, iterations=50)
            self.assert_good(run)
            for size in sizes:
                prefix = f'size{size}.latency.'
                parts = {k: v for k, v in run.metrics.items() if k.startswith(prefix)}
                total = parts.pop(prefix + 'total_ns')
                self.assertGreater(total, 0)
                self.assertAlmostEqual(sum(parts.values()), total, delta=1e-6)
                # Software does not tarry between what it sees and what it posts.
                self.assert_near(total, 1000 * run[f'size{size}.t_avg_us'], 0.05)

    def test_a_message_that_does_not_fit_inline_is_read(self):
        run = self.run_rdma(measure='latency', sizes=(220, 221), iterations=50, inline=220)
        self.assertEqual(run['size220.latency.payload_ns'], 0)
        self.assertGreater(run['size221.latency.payload_ns'], 300)


if __name__ == '__main__':
    unittest.main()
