"""What variants of the incast show beside each other: platforms/incast/*.yaml say what each is."""

import unittest

from incast_case import IncastCase

OWN_PRIORITY = {'nic.cnp.priority': 6, 'nic.cnp.dscp': 48}
LINE = 392.06  # Gb/s of payload


class Cnps(IncastCase):
    def both(self, **settings):
        """Runs with CNPs on the priority of data, and on their own."""
        data = self.variant('cnp_on_data_priority', name='data', **settings)
        own = self.variant('cnp_on_data_priority', name='own', **settings, **OWN_PRIORITY)
        for run in (data, own):
            self.assert_lossless(run)
        for late, soon in zip(self.of_hosts(data, 'cnp_latency_ns_mean', range(16)),
                              self.of_hosts(own, 'cnp_latency_ns_mean', range(16))):
            self.assertLess(soon, 3000)
            self.assertGreater(late, 10 * soon)
        return data, own

    def test_on_the_priority_of_data_they_come_late_and_the_loop_swings(self):
        data, own = self.both()
        pauses = [sum(self.of_hosts(run, 'pause_us', range(16))) for run in (data, own)]
        self.assertGreater(pauses[0], 1.5 * pauses[1])
        self.assertLess(data['total.goodput_gbps'], 0.85 * own['total.goodput_gbps'])
        self.assertLess(data['total.fairness_jain'], own['total.fairness_jain'])

    def test_in_a_large_buffer_all_pauses_are_theirs(self):
        data, own = self.both(switch__buffer='32MiB', traffic__messages=64)
        self.assertEqual(sum(self.of_hosts(own, 'pause_us', range(16))), 0)
        self.assertGreater(min(self.of_hosts(data, 'pause_us', range(16))), 100)
        for queue in ('sw0.port8.queue_bytes_mean', 'sw1.port8.queue_bytes_mean'):
            self.assertGreater(data[queue], 1.5 * own[queue])


class NotificationPoint(IncastCase):
    def test_a_delay_makes_the_queue_longer_and_brings_pauses(self):
        late = self.variant('np_delay', name='late')
        soon = self.variant('np_delay', name='soon', nic__cnp__delay='0us')
        for run in (late, soon):
            self.assert_lossless(run)
            self.assertGreater(run['total.fairness_jain'], 0.99)
        self.assertEqual(sum(self.of_hosts(soon, 'pause_us', range(2))), 0)
        self.assertGreater(min(self.of_hosts(late, 'pause_us', range(2))), 50)
        queue = 'sw0.port2.queue_bytes_mean'
        self.assertGreater(late[queue], 2 * soon[queue])
        self.assertLess(late['total.goodput_gbps'], soon['total.goodput_gbps'])


class Victim(IncastCase):
    def test_dcqcn_gives_it_back_most_of_what_pauses_took(self):
        pauses = self.variant('victim')
        dcqcn = self.variant('victim_dcqcn')
        alone = self.variant('victim', name='alone', **{
            'traffic.flows': [{'source': 'h1', 'destination': 'h6'}]})
        self.assertGreater(alone['flow0.goodput_gbps'], 0.98 * LINE)
        self.assertLess(pauses['flow4.goodput_gbps'], 0.3 * alone['flow0.goodput_gbps'])
        self.assertGreater(dcqcn['flow4.goodput_gbps'], 0.5 * alone['flow0.goodput_gbps'])
        self.assertGreater(pauses['total.victim_lost_us'], 500)
        self.assertEqual(dcqcn['total.victim_lost_us'], 0)


class SlowReceiver(IncastCase):
    def test_dcqcn_helps_once_the_queue_behind_the_pauses_is_marked(self):
        below = self.variant('slow_receiver', name='below')
        beyond = self.variant('slow_receiver', name='beyond', switch__lossless__alpha='1/8')
        for run in (below, beyond):
            self.assert_lossless(run)
            self.assertGreater(run['h1.nic0.pfc_xoff_sent'], 0)
        self.assertEqual(below['h1.nic0.ce_received'], 0)
        self.assertEqual(below['flow0.rate_gbps'], 400)
        self.assertGreater(beyond['h0.nic0.cnp_received'], 50)
        self.assertLess(beyond['h0.nic0.pause_us'], below['h0.nic0.pause_us'] / 2)

    def test_little_memory_bandwidth_does_as_a_narrow_pcie(self):
        run = self.variant('slow_receiver',
                           slow=[{'host': 'h1', 'memory_bandwidth': '100Gbps'}])
        self.assert_lossless(run)
        self.assertGreater(run['h1.nic0.pfc_xoff_sent'], 0)
        self.assertGreater(run['total.goodput_gbps'], 90)
        self.assertLess(run['total.goodput_gbps'], 101)  # some of it is in the NIC at the end


class ParameterSets(IncastCase):
    def test_the_tuned_set_fills_the_line_and_the_others_do_not(self):
        tuned, paper, hardware = (self.variant(name) for name in ('incast', 'paper', 'hardware'))
        for run in (tuned, paper, hardware):
            self.assert_lossless(run)
        self.assertGreater(tuned['total.goodput_gbps'], 0.85 * LINE)
        self.assertGreater(tuned['total.fairness_jain'], 0.98)
        self.assertLess(paper['total.goodput_gbps'], tuned['total.goodput_gbps'] / 2)
        self.assertLess(hardware['total.goodput_gbps'], 0.8 * tuned['total.goodput_gbps'])
        self.assertLess(hardware['total.fairness_jain'], tuned['total.fairness_jain'])

    def test_each_class_cuts_by_its_own_set(self):
        run = self.variant('mixed_classes', '--trace-filter', 'flow*.rate', '--until', '500us',
                           outputs=('trace',))
        for flow in range(8):
            rates = [value for _, value in run.waves[f'flow{flow}.rate'].changes if value > 0]
            self.assertAlmostEqual(rates[0], 400, 1)
            # The first CNP finds alpha near 1: what the set allows at most.
            self.assertAlmostEqual(rates[1] / rates[0], 0.5 if flow % 2 else 0.9, 2)
            least = min(later / rate for rate, later in zip(rates, rates[1:]))
            self.assertGreater(least, 0.49 if flow % 2 else 0.89)

    def test_each_class_would_do_otherwise_by_the_others_set(self):
        mixed = self.variant('mixed_classes')
        alike = self.variant('mixed_classes', name='alike', **{'congestion.classes': []})
        shares = [sum(run[f'flow{i}.goodput_gbps'] for i in range(0, 8, 2)) /
                  sum(run[f'flow{i}.goodput_gbps'] for i in range(1, 8, 2))
                  for run in (mixed, alike)]
        self.assertGreater(shares[0], 1.3)
        self.assertLess(abs(shares[1] - 1), 0.2)


class Losses(IncastCase):
    def again(self, run):
        return sum(self.of_hosts(run, 'requester.packets_again', range(8)))

    def test_pfc_or_a_large_buffer_spare_what_neither_sends_again(self):
        pfc, ecn, neither = (self.variant(name) for name in ('pfc_only', 'ecn_only', 'neither'))
        for run in (pfc, ecn):
            self.assert_lossless(run)
            self.assertEqual(self.again(run), 0)
        packets = sum(self.of_hosts(neither, 'requester.packets', range(8)))
        self.assertGreater(self.again(neither), packets)
        self.assertLess(neither['total.goodput_gbps'], 0.8 * pfc['total.goodput_gbps'])
        self.assertLess(neither['total.fairness_jain'], 0.8)

    def test_without_pfc_a_small_buffer_drops_and_go_back_n_recovers(self):
        run = self.variant('ecn_only', switch__buffer='8MiB')
        self.assertGreater(run['total.dropped_frames'], 0)
        self.assertGreater(self.again(run), 0)
        self.assertEqual(run['total.unfinished_flows'], 0)


if __name__ == '__main__':
    unittest.main()
