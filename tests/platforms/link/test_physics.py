"""Closed forms: what the link and its ports must come to."""

import unittest

from link_case import GAP, HEADERS, PREAMBLE, RETH, LinkCase

LINE = 400e9  # bits a second
PS_A_BYTE = 20  # at 400 Gb/s
PROPAGATION = 15_000  # ps: 3 m
MESSAGE = 65536


def line_bytes(mtu, size=MESSAGE):
    """Of a message, in the units that the line's time is shared in."""
    return size + size // mtu * (HEADERS + PREAMBLE + GAP) + RETH


class Goodput(LinkCase):
    def test_of_one_sender_is_the_payload_s_share_of_the_line(self):
        for mtu, percent in ((4096, 98.037), (1024, 92.586)):
            # One message, for only its first packet has a RETH.
            size = 1 << 28
            run = self.run_one_way(traffic__path_mtu=str(mtu), traffic__messages=1,
                                   traffic__message_size=str(size) + 'B')
            share = run['total.goodput_gbps'] * 1e9 / LINE
            self.assertAlmostEqual(share, mtu / (mtu + HEADERS + PREAMBLE + GAP), delta=1e-4)
            self.assertAlmostEqual(100 * share, percent, delta=0.01)
            self.assertAlmostEqual(run['a.link.tx_utilisation'], 1, delta=1e-4)

    def test_of_both_directions_at_once_is_that_of_each_alone(self):
        alone = self.run_one_way(name='alone')
        both = self.run_one_way(name='both', nodes__b__sends=True)
        self.assertEqual(both['flow0.goodput_gbps'], alone['flow0.goodput_gbps'])
        self.assertEqual(both['flow1.goodput_gbps'], alone['flow0.goodput_gbps'])
        self.assertEqual(both['total.goodput_gbps'], 2 * alone['flow0.goodput_gbps'])

    def test_behind_a_slow_drain_is_the_drain_s(self):
        drain = 100e9
        run = self.run_one_way(nodes__b__drain_rate='100Gbps', traffic__messages=256)
        drained = MESSAGE + 16 * HEADERS + RETH  # no preamble in a buffer
        self.assertAlmostEqual(run['total.goodput_gbps'] * 1e9, drain * MESSAGE / drained,
                               delta=1e-3 * drain)
        self.assertEqual(run['b.port.overflow'], 0)
        self.assertGreater(run['a.port.pause_us'], 0)


class Latency(LinkCase):
    def test_is_serialisation_and_propagation_to_the_picosecond(self):
        # Messages of one packet are all of one length.
        for mtu in (256, 4096):
            for rate, ps_a_byte in (('400Gbps', 20), ('100Gbps', 80)):
                run = self.run_one_way(link__rate=rate, traffic__message_size=f'{mtu}B',
                                       traffic__path_mtu=str(mtu))
                frame = PREAMBLE + mtu + HEADERS + RETH
                expected = frame * ps_a_byte + PROPAGATION
                for metric in ('min', 'mean', 'p50', 'p99', 'max'):
                    self.assertAlmostEqual(run[f'b.port.latency_ns_{metric}'] * 1000, expected,
                                           delta=1e-6)

    def test_the_run_ends_with_the_last_packet(self):
        run = self.run_one_way()
        sent = 64 * line_bytes(4096) * PS_A_BYTE
        self.assertEqual(run['flow0.completion_us'] * 1e6, sent - GAP * PS_A_BYTE + PROPAGATION)


class Conservation(LinkCase):
    """No frame comes from nowhere or goes there."""

    def assert_conserved(self, run):
        link_lost = run['a.link.tx_dropped'] + run['a.link.lost_down'] + run['b.link.lost_down']
        self.assertEqual(run['a.link.tx_frames'], run['b.link.rx_frames'] + link_lost)
        self.assertEqual(run['a.port.sent_packets'], run['a.link.tx_frames'])
        self.assertEqual(run['b.link.rx_corrupted'], run['b.port.bad_fcs'])
        self.assertEqual(run['b.link.rx_frames'],
                         run['b.port.received_packets'] + run['b.port.overflow'] +
                         run['b.port.bad_fcs'] + run['b.port.stray_packets'])
        self.assertEqual(run['b.port.latency_ns_count'], run['b.port.received_packets'])

    def lost(self, run):
        return run['a.port.sent_packets'] - run['b.port.received_packets']

    def test_without_pfc_a_slow_drain_overflows(self):
        run = self.run_one_way(nodes__b__drain_rate='200Gbps', nodes__b__pfc__enabled=False)
        self.assert_conserved(run)
        self.assertGreater(run['b.port.overflow'], 100)
        self.assertEqual(self.lost(run), run['b.port.overflow'])
        self.assertGreater(run['b.port.lost_packets'], 0)
        self.assertEqual(run['total.unfinished_flows'], 1)
        self.assertLessEqual(run['b.port.receive_buffer_bytes_peak'], 256 * 1024)

    def test_a_line_that_drops_and_errs(self):
        run = self.run_one_way(link__drop_probability=0.05, link__bit_error_rate=1e-6)
        self.assert_conserved(run)
        self.assertEqual(self.lost(run), run['a.link.tx_dropped'] + run['b.port.bad_fcs'])
        # Of 1024 frames of about 4158 B: binomial, five standard deviations.
        self.assertAlmostEqual(run['a.link.tx_dropped'], 51.2, delta=5 * 7)
        self.assertAlmostEqual(run['b.link.rx_corrupted'], 32.7 * 0.95, delta=5 * 5.6)

    def test_random_stalls_lose_nothing(self):
        run = self.run_one_way(nodes__b__receive_stall__probability=0.3,
                               nodes__a__send_stall__probability=0.3)
        self.assert_conserved(run)
        self.assertGreater(run['b.port.receive.stalls'], 200)
        self.assertEqual((self.lost(run), run['b.port.lost_packets']), (0, 0))
        self.assertEqual(run['total.unfinished_flows'], 0)

    def test_an_outage_loses_what_is_on_the_way_and_sends_on_after_it(self):
        run = self.run_one_way(outputs=('report', 'trace'),
                               link__outages='[{at: 20us, lasts: 10us}]')
        self.assert_conserved(run)
        self.assertEqual(run.report['end'], 'drained')
        self.assertEqual(self.lost(run), run['a.link.lost_down'] + run['b.link.lost_down'])
        # 15 ns of cable hold less than a frame; one more may begin before the port is told.
        self.assertTrue(1 <= self.lost(run) <= 2)
        self.assertEqual(run['b.port.lost_packets'], self.lost(run))
        up = [(0, 1), (20_000_000, 0), (30_000_000, 1)]
        self.assertEqual(run.waves['a.link.up'].changes, up)
        self.assertEqual(run.waves['b.link.up'].changes, up)


class Pauses(LinkCase):
    def test_of_two_slow_receivers_are_no_deadlock(self):
        run = self.run_link(nodes__b__sends=True, nodes__a__drain_rate='10Mbps',
                            nodes__b__drain_rate='10Mbps', traffic__messages=4)
        self.assertEqual(run['total.unfinished_flows'], 0)
        self.assertGreater(run['a.port.pause_us'], 10_000)  # longer than deadlock.after

    def test_refreshes_do_not_pile_up_behind_a_busy_line(self):
        run = self.run_link('--until', '1ms', nodes__b__drain_rate='10Mbps',
                            nodes__b__pfc__quanta=2)
        self.assertLess(run.report['host']['peak_rss_bytes'], 100e6)


if __name__ == '__main__':
    unittest.main()
