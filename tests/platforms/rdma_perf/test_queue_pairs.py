"""Queue pairs beyond the cache of contexts: what the counted misses explain, and nothing else.

Misses are read `misses` at a time, and nothing waits for them but their own queue pairs. So a
message takes the longer of what it takes without misses, and
    misses a message * latency of a read of a context / misses outstanding.
"""

import unittest

from rdma_case import RdmaCase

SIZE = 4096


class QueuePairs(RdmaCase):
    def taken(self, name, **settings):
        """ns a message."""
        run = self.run_rdma(name=name, sizes=(SIZE,), data='elided', **settings)
        self.assert_good(run)
        return 1000 / run[f'size{SIZE}.msg_rate_mpps'], run

    def explained(self, run, host='h0'):
        outstanding = run['profile.qp_cache.misses']
        a_message = run[f'{host}.nic0.qp_cache.misses'] / run['total.messages']
        return a_message * run[f'{host}.nic0.dma.context.read_latency_ns_mean'] / outstanding

    def test_within_the_cache_bandwidth_is_that_of_the_line(self):
        lists = {'post_list': 8, 'signal_every': 8}
        line = (SIZE + 82 + 16) * 8 / 400
        for qps, depth, iterations in ((1, 128, 4000), (64, 16, 128), (1024, 8, 16)):
            taken, run = self.taken(f'{qps}', qps=qps, depth=depth, iterations=iterations, **lists)
            self.assertEqual(run['h0.nic0.qp_cache.misses'], 0)
            # The beginning and the end of a run are in it.
            self.assert_near(taken, line, 0.03, f'{qps} queue pairs')

    def test_beyond_it_the_counted_misses_are_the_bound(self):
        # A message a queue pair: none comes to a context that the one before has fetched.
        once = {'depth': 1, 'signal_every': 1, 'iterations': 1}
        hits, _ = self.taken('hits', qps=1024, **once)
        bent = 0
        for outstanding in (16, 4, 2, 1):
            taken, run = self.taken(f'{outstanding}', qps=4096, **once,
                                    nic__qp_cache__misses=outstanding)
            self.assertGreater(run['h0.nic0.qp_cache.misses'], 0.8 * 4096)
            wanted = max(hits, self.explained(run), self.explained(run, 'h1'))
            self.assert_near(taken, wanted, 0.05, f'{outstanding} outstanding')
            bent += taken > 1.2 * hits
        self.assertEqual(bent, 2)  # 2 and 1: 435 ns over these are more than a posting takes

    def test_of_a_longer_way_to_memory_fewer_outstanding_are_the_bound(self):
        # Four messages in a turn.
        settings = {'depth': 4, 'post_list': 4, 'signal_every': 1, 'iterations': 4,
                    'nic__send__quantum': 4 * SIZE, 'pcie_link__latency': '500ns'}
        hits, _ = self.taken('hits', qps=512, **settings)
        for outstanding in (2, 1):
            taken, run = self.taken(f'{outstanding}', qps=2048, **settings,
                                    nic__qp_cache__misses=outstanding)
            wanted = max(hits, self.explained(run), self.explained(run, 'h1'))
            self.assertGreater(wanted, 1.1 * hits)
            self.assert_near(taken, wanted, 0.05, f'{outstanding} outstanding')


if __name__ == '__main__':
    unittest.main()
