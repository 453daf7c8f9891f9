"""Message rates are what a calculation by hand says of the slowest of what a message passes."""

import unittest

from rdma_case import RdmaCase

INTERVAL = 'nic__stages__wqe__interval'
# A doorbell a list, so WQEs are read; prefetch so small that reading them is the bound.
LISTS = {'post_list': 64, 'signal_every': 64}


class Rates(RdmaCase):
    def rate(self, name, size=64, **settings):
        """ns a message."""
        run = self.run_rdma(name=name, sizes=(size,), data='elided',
                            **{'iterations': 4000, **settings})
        self.assert_good(run)
        return 1000 / run[f'size{size}.msg_rate_mpps'], run

    def test_the_slowest_interval_is_the_time_of_a_message(self):
        for interval in (500, 250, 125):
            # A clock of 1 ns.
            taken, _ = self.rate(f'interval{interval}', **{INTERVAL: interval})
            self.assert_near(taken, interval, 0.015)

    def test_below_the_core_s_posting_an_interval_is_no_bound(self):
        posting, run = self.rate('posting', **{INTERVAL: 1})
        self.assertGreater(run['h0.nic0.wqe.starved_ns'], 50 * run['h0.nic0.wqe.busy_ns'])
        # Of half the time of a posting nothing is seen; of twice it, that alone.
        below, _ = self.rate('below', **{INTERVAL: round(posting / 2)})
        self.assert_near(below, posting, 0.005)
        above, _ = self.rate('above', **{INTERVAL: round(posting * 2)})
        self.assert_near(above, round(posting * 2), 0.015)
        slower, _ = self.rate('slower', host__core__fence='50ns', **{INTERVAL: 1})
        self.assertGreater(slower, posting + 40)  # more than one fence is waited for

    def test_wqes_read_ahead_over_the_latency_of_their_reads_are_the_rate(self):
        # A read of one or two lines: two link latencies, root complex 130 and 50 ns, memory 90 ns,
        # two lines' times of some nanoseconds.
        for latency in (80, 160, 500):
            for ahead in (2, 4):
                taken, run = self.rate(f'ahead{ahead}_{latency}', nic__send__wqe_prefetch=ahead,
                                       nic__send__wqe_fetch=ahead, **LISTS, **{INTERVAL: 1},
                                       pcie_link__latency=f'{latency}ns')
                read = run['h0.nic0.dma.wqe.read_latency_ns_mean']
                self.assert_near(read, 2 * latency + 130 + 50 + 90, 0.015)
                self.assert_near(taken, read / ahead, 0.05)

    def test_reads_outstanding_over_the_round_trip_are_the_rate_of_reads(self):
        alone, _ = self.rate('reads1', 4096, test='read', reads=1, iterations=1000)
        for reads in (2, 4):
            taken, run = self.rate(f'reads{reads}', 4096, test='read', reads=reads,
                                   iterations=1000)
            self.assert_near(taken, alone / reads, 0.02)
            self.assertEqual(run['h0.nic0.requester.reads_outstanding_peak'], reads)
        # Enough of them: the core's posting, or the line.
        enough, _ = self.rate('reads16', 65536, test='read', reads=16, iterations=1000)
        line = (65536 + 16 * 82 + 2 * 4) * 8 / 400
        self.assert_near(enough, line, 0.01)


class SlowReceiver(RdmaCase):
    def test_it_pauses_the_switch_and_the_senders_drops_nothing_and_a_victim_pays(self):
        run = self.run_rdma(
            sizes=(65536,), iterations=150, data='elided', topology='{kind: star, hosts: 4}',
            pairs='[{client: h0, server: h2}, {client: h1, server: h2}, {client: h1, server: h3}]',
            slow='[{host: h2, memory_bandwidth: 200Gbps}]')
        self.assert_good(run)
        self.assertEqual(run['h2.nic0.receive_overflow'], 0)
        self.assertEqual(run['h0.nic0.requester.packets_again'], 0)
        self.assertGreater(run['h2.nic0.pfc_xoff_sent'], 0)
        self.assertEqual(run['sw0.port2.pfc_xoff_received'], run['h2.nic0.pfc_xoff_sent'])
        for sender in 'h0', 'h1':
            self.assertGreater(run[f'{sender}.nic0.pause_us'], 0)
        # Two flows into what memory takes; a third, whose way is free, is held back with them.
        slow = run['flow0.goodput_gbps'] + run['flow1.goodput_gbps']
        self.assertLess(slow, 230)
        self.assertGreater(slow, 180)
        self.assertLess(run['flow2.goodput_gbps'], 200)
        self.assertEqual(run['total.victim_flows'], 1)
        self.assertGreater(run['total.victim_lost_us'], 0)


if __name__ == '__main__':
    unittest.main()
