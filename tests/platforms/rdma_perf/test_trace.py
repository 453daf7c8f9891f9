"""A trace shows queue pairs, caches, reads in flight and the receive buffer, and they move."""

import unittest

from rdma_case import RdmaCase

OUTPUTS = ('report', 'trace')
CABLE = {'sizes': (65536,), 'iterations': 20, 'data': 'elided'}


class Trace(RdmaCase):
    def test_a_queue_pair_counts_its_packets(self):
        run = self.run_rdma(outputs=OUTPUTS, **CABLE)
        psns = run.waves['h0.nic0.qp0.sq_psn'].values
        # 16 packets a message; the first PSN is the queue pair's number, 64.
        self.assertEqual(max(psns), 64 + 16 * 20)
        self.assertGreater(len(set(psns)), 16)
        outstanding = run.waves['h0.nic0.qp0.outstanding'].values
        self.assertGreater(max(outstanding), 16)
        self.assertEqual(outstanding[-1], 0)
        expected = run.waves['h1.nic0.responder.qp0.expected_psn'].values
        self.assertEqual(max(expected), max(psns))

    def test_reads_in_flight_and_buffers_fill_and_empty(self):
        run = self.run_rdma(outputs=OUTPUTS, **CABLE)
        for name, peak in (('h0.nic0.dma_reads_in_flight', 'h0.nic0.dma.payload.reads_in_flight_peak'),
                           ('h1.nic0.receive_buffer_bytes', 'h1.nic0.receive_buffer_bytes_peak'),
                           ('h0.nic0.transmitter.egress_bytes',
                            'h0.nic0.transmitter.egress_bytes_peak')):
            with self.subTest(name):
                values = run.waves[name].values
                self.assertEqual(max(values), run[peak])
                self.assertGreater(max(values), 1)
                self.assertEqual(values[-1], 0)

    def test_caches_show_their_misses(self):
        run = self.run_rdma(outputs=OUTPUTS, sizes=(4096,), iterations=4, qps=64, depth=2,
                            data='elided', nic__qp_cache='{entries: 16, ways: 4}')
        values = run.waves['h0.nic0.qp_cache.misses_in_flight'].values
        self.assertEqual(max(values), run['h0.nic0.qp_cache.misses_in_flight_peak'])
        self.assertGreater(max(values), 1)
        for cache in ('key_cache', 'translation_cache'):
            self.assertEqual(max(run.waves[f'h0.nic0.{cache}.misses_in_flight'].values),
                             run[f'h0.nic0.{cache}.misses_in_flight_peak'])

    def test_a_pause_is_seen_at_both_ends(self):
        run = self.run_rdma(outputs=OUTPUTS, **{**CABLE, 'iterations': 200},
                            slow='[{host: h1, memory_bandwidth: 100Gbps}]')
        self.assertEqual(run['total.dropped_frames'] + run['h1.nic0.receive_overflow'], 0)
        # Of traffic class 96: priority 3.
        self.assertIn(1 << 3, run.waves['h1.nic0.xoff_sent'].values)
        self.assertIn(1 << 3, run.waves['h0.nic0.paused'].values)


if __name__ == '__main__':
    unittest.main()
