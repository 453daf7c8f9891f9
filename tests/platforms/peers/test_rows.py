"""Incasts without congestion control, as HPCC's ns-3 simulator
(github.com/alibaba-edu/High-Precision-Congestion-Control), run by us, has them, and what must hold in
any model of them. platforms/incast/peers_8to1.yaml says how the two are made alike."""

import statistics
import unittest

from peers_case import PACKET_NS, SLOWER, PeersCase, pauses, total

SEEDS = 20
RESERVE, HEADROOM = 4096, 37_500  # bytes, of a port
ROUND_TRIP = 25_250 + 1048  # bytes that come after XOFF: two cables' and a packet


class Rows(PeersCase):
    def assert_row(self, run, completion_us, goodput_gbps, queue_bytes):
        """Of the simulator, as it says them."""
        self.assert_near(run['total.completion_us'], completion_us * SLOWER, 0.03)
        self.assert_near(run['total.goodput_gbps'] / 0.952, goodput_gbps / SLOWER, 0.03)
        self.assert_near(run.queue_packets, queue_bytes / 1048, 0.03)

    def mean_marks(self, config, senders=8):
        return statistics.mean(self.run_peers(config, '--seed', seed, senders=senders).marks
                               for seed in range(1, SEEDS + 1))

    def test_eight_senders(self):
        run = self.run_peers('8to1')
        self.assert_row(run, 6644, 96.3, 16_809_920)
        self.assert_near(pauses(run), 1938, 0.15)
        self.assert_near(total(run, 'h{}.nic0.pause_us') / 8, 4515 * SLOWER, 0.03)
        self.assert_near(self.mean_marks('8to1'), 78_394, 0.15)

    def test_eight_senders_and_a_small_buffer(self):
        run = self.run_peers('8to1_2mib')
        self.assert_row(run, 6644, 96.3, 1_080_488)
        self.assert_near(pauses(run), 1803, 0.15)
        self.assert_near(self.mean_marks('8to1_2mib'), 8553, 0.15)

    def test_two_senders(self):
        run = self.run_peers('2to1', senders=2)
        self.assert_row(run, 170, 94.1, 1_048_000)
        self.assertEqual(pauses(run), 0)
        self.assert_near(self.mean_marks('2to1', 2), 65, 0.15)

    def test_queues_and_pauses_agree_whatever_the_phase_of_the_round_trip(self):
        # 1 us; as it is there beside packets of 83 ns; that to a whole metre, as shipped.
        for length in ('200m', '202.024m', '202m'):
            for config, queue_bytes, count in (('8to1', 16_809_920, 1938),
                                               ('8to1_2mib', 1_080_488, 1803)):
                run = self.run_peers(config, link__length=length)
                self.assert_near(run.queue_packets, queue_bytes / 1048, 0.01)
                self.assert_near(pauses(run), count, 0.15)


class Invariants(PeersCase):
    def test_the_link_is_busy_whatever_the_buffer(self):
        # From the first bit to the last: to the picosecond, whatever was paused, as long as what a
        # sender has in the buffer at XON lasts for the 2 us until more of it comes. The switch has
        # no latency but that of the mark's decision, 3 cycles of 1 ns.
        packets = 80_000 * 1050 + 1038 - 12  # bytes: a first one to the switch; no gap after the last
        end_ps = round(packets * PACKET_NS * 1000 / 1050) + 2 * 1_010_000 + 3_000
        for buffer in ('1MiB', '2MiB', '8MiB', '32MiB', '256MiB'):
            run = self.run_peers('8to1', switch__buffer=buffer)
            self.assertEqual(round(run['total.completion_us'] * 1e6), end_ps, buffer)

    def test_nothing_is_dropped_and_pauses_are_as_many_as_resumes(self):
        for buffer in ('512KiB', '2MiB', '32MiB'):
            run = self.run_peers('8to1', switch__buffer=buffer)
            self.assertEqual((run['total.dropped_frames'], run['total.unfinished_flows']), (0, 0))
            self.assertGreater(pauses(run), 1000)
            self.assertEqual(pauses(run), total(run, 'sw0.port{}.pfc_xon_sent'))
            self.assertEqual(total(run, 'sw0.port{}.pfc_refresh_sent'), 0)
            # Each ends by XON, long before the 335 us that its quanta are.
            self.assertLess(total(run, 'h{}.nic0.pause_us') / pauses(run), 50)

    def test_a_pause_of_few_quanta_is_refreshed(self):
        run = self.run_peers('8to1_2mib', switch__pfc__quanta=1024)  # 5 us
        self.assertGreater(total(run, 'sw0.port{}.pfc_refresh_sent'), 1000)
        self.assertEqual(pauses(run), total(run, 'sw0.port{}.pfc_xon_sent'))
        self.assertEqual(run['total.dropped_frames'], 0)

    def test_a_sender_sends_or_is_paused(self):
        for senders, share in ((2, 0.488), (8, 0.867)):
            run = self.run_peers('8to1_2mib', senders=senders, traffic__senders=senders)
            for i in run.senders:
                paused, end = run[f'h{i}.nic0.pause_us'], run[f'flow{i}.completion_us']
                self.assert_near(paused / end, share, 0.01)
                self.assert_near(paused + 10_000 * PACKET_NS / 1000, end, 0.015)

    def test_the_longest_queue_is_all_thresholds_reserves_and_what_is_in_flight(self):
        for senders, buffer in ((2, 2 << 20), (4, 4 << 20), (8, 2 << 20), (8, 8 << 20),
                                (8, 32 << 20), (16, 8 << 20), (32, 32 << 20)):
            run = self.run_peers('8to1', senders=senders, traffic__senders=senders,
                                 switch__buffer=f'{buffer}B')
            shared = buffer - (senders + 1) * (HEADROOM + RESERVE)
            threshold = shared / (8 + senders)
            in_flight = ROUND_TRIP * (1 - 1 / senders)  # 23 KB of eight; some leaves meanwhile
            expected = senders * (threshold + RESERVE + in_flight)
            self.assert_near(run.queue_packets * 1048, expected, 0.02)


if __name__ == '__main__':
    unittest.main()
