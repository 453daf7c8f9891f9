"""A run is a function of configuration and seed, and of nothing else."""

import unittest

from rdma_case import RdmaCase

PLAIN = {'sizes': (64, 5000), 'iterations': 100, 'topology': '{kind: star, hosts: 2}'}


class Determinism(RdmaCase):
    def test_the_same_run_gives_the_same_bytes(self):
        first, again = (self.run_rdma(name=name, outputs=('report', 'pcap', 'trace'), **PLAIN)
                        for name in ('first', 'again'))
        for output in ('report', 'pcap', 'trace'):
            self.assertTrue(first.bytes(output) == again.bytes(output), f'{output} differs')

    def test_latencies_reads_and_many_queue_pairs_too(self):
        for settings in ({'measure': 'latency', 'inline': 220}, {'test': 'read', 'qps': 8},
                         {'test': 'send', 'bidirectional': True}):
            first, again = (self.run_rdma(name=name, outputs=('report', 'pcap'),
                                          **{**PLAIN, **settings}) for name in ('first', 'again'))
            for output in ('report', 'pcap'):
                self.assertTrue(first.bytes(output) == again.bytes(output), (settings, output))

    def test_carried_and_elided_data_take_the_same_times(self):
        carried, elided = (self.run_rdma(name=data, data=data, **PLAIN)
                           for data in ('carried', 'elided'))
        self.assertEqual(carried.metrics, elided.metrics)

    def test_checkers_and_traces_change_no_metric(self):
        checked = self.run_rdma(name='checked', outputs=('report', 'trace'), checks=True, **PLAIN)
        self.assertEqual(checked.metrics, self.run_rdma(name='plain', checks=False, **PLAIN).metrics)


if __name__ == '__main__':
    unittest.main()
