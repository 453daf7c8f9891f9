"""Large messages reach the line's ceiling, the table says what the report says, and every mode and
topology of the one configuration moves its bytes."""

import unittest

from rdma_case import RdmaCase, write_ceiling


class Bandwidth(RdmaCase):
    def test_64_kib_writes_are_at_the_ceiling_of_their_path_mtu(self):
        for mtu in (4096, 1024):
            run = self.run_rdma(name=f'mtu{mtu}', data='elided', sizes=(65536,), iterations=2000,
                                nic__path_mtu=str(mtu))
            self.assert_good(run)
            self.assert_near(run['size65536.bw_average_gbps'], write_ceiling(65536, mtu, 400), 0.003)

    def test_the_table_is_perftests_and_says_what_the_report_says(self):
        run = self.run_rdma(sizes=(64, 4096), iterations=200)
        rows = [line.split() for line in run.out.splitlines()]
        for size in (64, 4096):
            row = next(r for r in rows if r and r[0] == str(size))
            self.assertEqual(int(row[1]), 200)
            self.assertAlmostEqual(float(row[3]), run[f'size{size}.bw_average_gbps'], delta=0.006)
            self.assertAlmostEqual(float(row[4]), run[f'size{size}.msg_rate_mpps'], delta=1e-6)

    def test_every_mode_moves_its_bytes_on_every_topology(self):
        topologies = {'cable': '{kind: back_to_back}', 'switch': '{kind: star, hosts: 2}',
                      'fabric': '{kind: leaf_spine, leaves: 2, spines: 2, hosts_per_switch: 1}'}
        for test in ('write', 'read', 'send'):
            for name, topology in topologies.items():
                with self.subTest(test=test, topology=name):
                    run = self.run_rdma(name=f'{test}_{name}', sizes=(1, 64, 5000, 65536),
                                        iterations=50, test=test, topology=topology)
                    self.assert_good(run)
                    self.assertEqual(run['total.messages'], 200)

    def test_options_of_perftest(self):
        for name, settings in (('inline', {'inline': 220}), ('list', {'post_list': 8}),
                               ('events', {'events': True}), ('both', {'bidirectional': True}),
                               ('queue_pairs', {'qps': 16})):
            with self.subTest(name):
                run = self.run_rdma(name=name, sizes=(64, 4096), iterations=100, **settings)
                self.assert_good(run)


class Profile(RdmaCase):
    def test_the_report_says_what_is_fitted_and_what_is_written(self):
        run = self.run_rdma(sizes=(64,), iterations=10, nic__profile='connectx5_100g',
                            nic__stages__wqe__latency=99)
        metrics = run.report['metrics']
        self.assertTrue(metrics['profile.stages.wqe.interval']['doc'].startswith('FITTED'))
        self.assertIn('in place of', metrics['profile.stages.wqe.latency']['doc'])
        self.assertEqual(run['profile.stages.wqe.latency'], 99)


if __name__ == '__main__':
    unittest.main()
