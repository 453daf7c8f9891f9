"""A bulk ends when its accesses one by one would, alone and beside others, for fewer events."""

import unittest

from hbm_case import HbmCase

ACCESS = 32


class Bulk(HbmCase):
    def both(self, size, name, **settings):
        """The same bytes, given at once: as one request, and as accesses."""
        runs = []
        for bytes_each in (size, ACCESS):
            count = size // bytes_each
            runs.append(self.run_one(name=f'{name}{bytes_each}', traffic__size=f'{bytes_each}B',
                                     traffic__requests=count, traffic__outstanding=count,
                                     **settings))
            self.assertEqual(runs[-1]['total.unfinished_requests'], 0)
        return runs

    def assert_same_time(self, bulk, singles):
        ratio = bulk['total.completion_ns'] / singles['total.completion_ns']
        self.assertLess(abs(ratio - 1), 0.02)

    def test_alone_it_takes_the_same_time_and_a_twentieth_of_the_events(self):
        for size in (4096, 1 << 16, 1 << 20):
            for reads in (1, 0):
                with self.subTest(size=size, reads=reads):
                    bulk, singles = self.both(size, f'alone{size}_{reads}_', traffic__reads=reads)
                    self.assert_same_time(bulk, singles)
                    events = [run.report['host']['kernel_events'] for run in (bulk, singles)]
                    # Beside what a run begins and ends with.
                    self.assertLess(20 * (events[0] - 8), events[1])

    def test_beside_random_accesses_it_takes_the_same_time(self):
        for load in (0.05, 0.2):
            with self.subTest(load=load):
                bulk, singles = self.both(1 << 20, f'beside{load}_', background__load=load)
                self.assert_same_time(bulk, singles)
                self.assertGreater(bulk['hbm.commands_wr'], 100)
                self.assertEqual(bulk['hbm.commands_wr'], singles['hbm.commands_wr'])

    def test_blocks_as_bulks_and_as_accesses_have_the_same_bandwidth(self):
        singles = self.run_one(traffic__pattern='blocks', traffic__requests=128 * 1000, name='s')
        bulk = self.run_one(traffic__pattern='blocks', traffic__bulk=True, traffic__requests=1000,
                            traffic__outstanding=2, name='b')
        self.assertLess(abs(bulk['total.bandwidth_gbytes_s'] /
                            singles['total.bandwidth_gbytes_s'] - 1), 0.1)


if __name__ == '__main__':
    unittest.main()
