"""Incasts under DCQCN, as HPCC's ns-3 simulator, run by us, has them, and what DCQCN must do to pauses.
platforms/incast/peers_dcqcn_8to1.yaml says how the two are made alike and what differs;
plain_star_test.cpp has a plain simulation of those rules, as they are there and as they are here."""

import statistics
import unittest

from peers_case import SLOWER, PeersCase, pauses

SEEDS = 20
ACK_US = 2


class Means:
    """Of the seeds' runs: completion of the first, the median and the last flow, and the rest."""

    def __init__(self, runs):
        times = [sorted(run[f'flow{i}.completion_us'] for i in run.senders) for run in runs]
        self.first_us = statistics.mean(t[0] for t in times)
        self.median_us = statistics.mean(statistics.median(t) for t in times)
        self.last_us = statistics.mean(t[-1] for t in times)
        self.queue_bytes = 1048 * statistics.mean(run.queue_packets for run in runs)
        self.marks = statistics.mean(run.marks for run in runs)
        self.pauses = statistics.mean(pauses(run) for run in runs)
        self.jain = statistics.mean(run['total.fairness_jain'] for run in runs)

    @property
    def row(self):
        return self.first_us, self.median_us, self.last_us, self.queue_bytes


def corrected(first_us, median_us, last_us, queue_bytes):
    """Of the simulator, as it says them: its packets' times are cut, its times are of the last ACK."""
    return *(us * SLOWER - ACK_US for us in (first_us, median_us, last_us)), queue_bytes


class DcqcnCase(PeersCase):
    def means(self, config, seeds=SEEDS, **settings):
        runs = [self.run_peers(config, '--seed', seed, **settings) for seed in range(1, seeds + 1)]
        for run in runs:
            self.assert_lossless(run)
        return Means(runs)

    def assert_row(self, means, row, part):
        for value, expected in zip(means.row, row, strict=True):
            self.assert_near(value, expected, part)

    def assert_plain(self, means, row, marks):
        """As the plain simulation has it with what differs here."""
        first_us, median_us, last_us, queue_bytes = row
        self.assert_row(means, (first_us - ACK_US, median_us - ACK_US, last_us - ACK_US, queue_bytes),
                        0.06)
        self.assert_near(means.marks, marks, 0.06)


class Rows(DcqcnCase):
    def test_dcqcn(self):
        means = self.means('dcqcn_8to1')
        self.assert_row(means, corrected(6809, 7599, 8555, 2_152_592), 0.15)
        self.assert_near(means.marks, 3401, 0.15)
        self.assertEqual(means.pauses, 0)
        self.assert_near(means.jain, 0.9949, 0.005)
        self.assert_plain(means, (6908, 7535, 8176, 2_213_900), 3626)

    def test_dcqcn_and_few_packets(self):
        means = self.means('dcqcn_8to1_1mb')
        self.assert_row(means, corrected(1068, 1095, 1111, 2_152_592), 0.15)
        self.assert_near(means.marks, 2164, 0.15)
        self.assertEqual(means.pauses, 0)
        self.assert_plain(means, (1022, 1112, 1132, 2_213_900), 2375)

    def test_dcqcn_and_a_small_buffer(self):
        means = self.means('dcqcn_8to1_2mib')
        self.assert_row(means, corrected(6843, 7312, 7516, 1_080_488), 0.15)
        self.assert_near(means.marks, 1542, 0.15)
        self.assert_near(means.pauses, 314, 0.15)

    def test_slow_timers(self):
        means = self.means('paper_8to1')
        self.assert_row(means, corrected(5843, 6576, 7451, 8_473_080), 0.15)
        self.assertEqual(means.pauses, 0)
        self.assert_near(means.jain, 0.9949, 0.005)
        # There 14,713: a quarter more, by the late rates of the plain simulation.
        self.assert_plain(means, (5462, 6601, 7597, 8_339_355), 17_991)


class Mechanisms(DcqcnCase):
    """Each of what makes the two alike, by what happens without it."""

    def test_a_first_cnp_that_cuts_halves_the_queue_of_slow_timers(self):
        run = self.run_peers('paper_8to1', congestion__dcqcn__rp_rate_to_set_on_first_cnp=0)
        self.assertLess(run.queue_packets * 1048, 0.6 * 8_473_080)

    def test_without_hyper_increase_the_last_flow_of_slow_timers_is_later(self):
        means = self.means('paper_8to1', 10, congestion__dcqcn__rp_ai_rate=20)
        self.assertGreater(means.last_us, 1.05 * 7597)

    def test_senders_that_catch_up_are_paused_more_often(self):
        means = self.means('dcqcn_8to1_2mib', 5, congestion__burst='1us')
        self.assertGreater(means.pauses, 1.15 * 314)

    def test_marks_at_enqueue_make_the_first_queue_of_slow_timers_longer(self):
        run = self.run_peers('paper_8to1', switch__ecn__point='enqueue')
        self.assertGreater(run.queue_packets * 1048, 1.3 * 8_473_080)


class Pauses(DcqcnCase):
    def test_they_are_a_quarter_at_most(self):
        without = pauses(self.run_peers('8to1_2mib'))
        for seed in range(1, 6):
            run = self.run_peers('dcqcn_8to1_2mib', '--seed', seed)
            self.assertGreater(pauses(run), 0)
            self.assertLessEqual(4 * pauses(run), without)

    def test_after_5_ms_they_last_a_tenth_at_most(self):
        def paused_us(config):
            run = self.run_peers(config, traffic__messages=100_000, warm_up='5ms')
            self.assert_lossless(run)
            return [run[f'h{i}.nic0.pause_us'] for i in run.senders]

        without = paused_us('8to1_2mib')
        self.assertGreater(min(without), 50_000)
        self.assertLessEqual(10 * sum(paused_us('dcqcn_8to1_2mib')), sum(without))


if __name__ == '__main__':
    unittest.main()
