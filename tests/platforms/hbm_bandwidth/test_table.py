"""The rows that three public controllers agree on, and what of them follows from the set of timings
alone. Bounds of each shipped configuration are its own expectations."""

import unittest

from hbm_case import CK, PEAK, REFI, HbmCase

# Configuration, least and most of the peak in per cent as measured, points that we may be beside.
ROWS = (
    ('sequential_read_no_refresh', 100, 100, 1.5),
    ('sequential_read', 89.1, 89.9, 1.5),
    ('sequential_read_per_bank', 80.2, 80.2, 1.5),
    ('sequential_write', 88.2, 89.6, 1.5),
    ('random_read_no_refresh', 38.1, 38.1, 2),
    ('random_read', 34.2, 35.3, 2),
    ('random_write', 29.9, 34.7, 2),
    ('mix', 69, 83, 0),
    ('blocks', 81.0, 84.9, 2),
    ('hbm2_sequential', 92, 92, 1.5),
    ('hbm2_random', 24, 24, 2),
)
LOADS = {'curve_sequential': {10: 38.1, 30: 45.8, 50: 60, 70: 94, 80: 138},
         'curve_random': {10: 86, 20: 112, 30: 183}}


class Table(HbmCase):
    def test_rows_of_one_channel(self):
        for name, least, most, points in ROWS:
            with self.subTest(name):
                run = self.run_shipped(name, traffic__requests=200000)
                self.assertGreaterEqual(run['total.of_peak_pct'], least - points)
                self.assertLessEqual(run['total.of_peak_pct'], most + points)
                self.assertEqual(run['total.unfinished_requests'], 0)

    def test_no_row_is_above_what_the_constraints_allow(self):
        refresh = 1 - 100 * (8 + 22 + 459 + 26) / 5106 / 100
        run = self.run_shipped('sequential_read')
        self.assertLessEqual(run['total.of_peak_pct'], 100 * refresh + 0.2)
        # Four activates in tFAW, an access of two CK each.
        run = self.run_shipped('random_read_no_refresh')
        self.assertLessEqual(run['total.of_peak_pct'], 100 * 4 * 2 / 20)
        activates = run['hbm.commands_act'] / 2
        self.assertGreaterEqual(run['total.completion_ns'], activates / 4 * 20 * CK)

    def test_open_loop_latency(self):
        for name, loads in LOADS.items():
            run = self.run_shipped(name)
            for load, mean in loads.items():
                with self.subTest(name, load=load):
                    self.assertLess(abs(run[f'load{load}.latency_ns_mean'] / mean - 1), 0.05)
                    bandwidth = run[f'load{load}.bandwidth_gbytes_s']
                    self.assertLess(abs(bandwidth / (PEAK * load / 100) - 1), 0.01)

    def test_latency_of_one_request_at_a_time(self):
        random = self.run_shipped('idle_random')
        self.assertLess(abs(random['total.latency_ns_mean'] / 50.6 - 1), 0.05)
        sequential = self.run_shipped('idle_sequential')
        self.assertLess(abs(sequential['total.latency_ns_mean'] / 18 - 1), 0.05)

    def test_a_refresh_is_seen_in_the_tail_alone(self):
        settings = {'traffic__load': 0.1, 'traffic__requests': 100000}
        off = self.run_one(name='off', hbm__refresh__mode='off', **settings)
        on = self.run_one(name='on', **settings)
        self.assertLess(off['total.latency_ns_p99'], 80)
        self.assertGreater(on['total.latency_ns_p99'], 300)
        self.assertLess(on['total.latency_ns_p99'], 350 + 100)
        self.assertLess(on['total.latency_ns_p50'] - off['total.latency_ns_p50'], 5)

    def test_refreshes_are_as_many_as_their_time_holds(self):
        for sids in (1, 2):
            for mode, interval in (('all_bank', REFI), ('per_bank', 5106 // (16 * sids) * CK)):
                with self.subTest(mode, sids=sids):
                    run = self.run_one(name=f'{mode}{sids}', traffic__requests=100000,
                                       hbm__organisation__sids=sids, hbm__refresh__mode=mode)
                    units = 2 * sids if mode == 'all_bank' else 2
                    wanted = run.report['simulated_ns'] / interval * units
                    self.assertLess(abs(run['total.refreshes'] - wanted), 2 * units)
                    self.assertGreater(wanted, 40)


class Device(HbmCase):
    def test_an_h100_peaks_at_3352_gb_s_and_streams_at_the_bound_of_refresh(self):
        run = self.run_shipped('hbm_bandwidth')
        peak = run['total.bandwidth_gbytes_s'] / run['total.of_peak_pct'] * 100
        self.assertAlmostEqual(peak, 3352, delta=0.5)
        self.assertLess(abs(run['total.of_peak_pct'] - 89.9), 1.5)
        for stack in range(5):
            for channel in range(16):
                name = f'hbm.stack{stack}.channel{channel}.utilisation'
                self.assertGreater(run[name], 85, name)

    def test_channels_do_not_wait_for_each_other(self):
        one, many = (self.run_one(name=str(n), hbm__organisation__channels=n,
                                  traffic__duration='40us') for n in (1, 16))
        ratio = many['total.bandwidth_gbytes_s'] / one['total.bandwidth_gbytes_s']
        self.assertLess(abs(ratio / 16 - 1), 0.02)

    def test_idle_time_is_left_out_of_the_busy_utilisation(self):
        run = self.run_one(traffic__load=0.05, traffic__requests=20000)
        self.assertLess(run['total.utilisation_pct'], 6)
        self.assertGreater(run['total.busy_utilisation_pct'],
                           1.5 * run['total.utilisation_pct'])


if __name__ == '__main__':
    unittest.main()
