"""Loads one after another: a curve, whose points are those of runs of their own."""

import unittest

from hbm_case import PEAK, HbmCase

LOADS = (0.1, 0.5, 0.85)


class Curve(HbmCase):
    def run_curve(self, loads=LOADS, **settings):
        return self.run_one(curve=str(list(loads)), traffic__requests=60000, **settings)

    def test_latency_grows_with_load(self):
        run = self.run_curve()
        for part in ('mean', 'p50', 'p99'):
            values = [run[f'load{load * 100:g}.latency_ns_{part}'] for load in LOADS]
            self.assertEqual(values, sorted(values), part)
        for load in LOADS:
            bandwidth = run[f'load{load * 100:g}.bandwidth_gbytes_s']
            self.assertLess(abs(bandwidth / PEAK / load - 1), 0.02)

    def test_the_table_says_what_the_report_says(self):
        run = self.run_curve()
        rows = [line.split() for line in run.out.splitlines()]
        for load in LOADS:
            prefix = f'load{load * 100:g}.'
            row = next(r for r in rows if r and r[0] == f'{load * 100:g}')
            self.assertEqual(row[1], f"{run[prefix + 'bandwidth_gbytes_s']:.3f}")
            self.assertEqual(row[3], f"{run[prefix + 'latency_ns_mean']:.1f}")
            self.assertEqual(row[5], f"{run[prefix + 'latency_ns_p99']:.1f}")

    def test_a_point_is_what_it_is_alone(self):
        both = self.run_curve((0.3, 0.6))['load60.latency_ns_mean']
        alone = self.run_one(traffic__load=0.6, traffic__requests=60000,
                             name='alone')['total.latency_ns_mean']
        self.assertLess(abs(both / alone - 1), 0.05)

    def test_small_loads_have_names(self):
        run = self.run_curve((0.0025, 0.125), name='small')
        self.assertGreater(run['load0_25.latency_ns_count'], 0)
        self.assertGreater(run['load12_5.latency_ns_count'], 0)


if __name__ == '__main__':
    unittest.main()
