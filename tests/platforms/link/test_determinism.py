"""A run is a function of configuration and seed, and of nothing else."""

import unittest

from link_case import LinkCase
from platform_run import ALL

# Everything that draws random numbers is at work.
EVENTFUL = {'data': 'elided', 'link__bit_error_rate': 1e-6, 'link__drop_probability': 0.01,
            'nodes__b__receive_stall__probability': 0.1, 'nodes__a__send_stall__probability': 0.1,
            'nodes__a__drain_rate': '350Gbps', 'nodes__b__sends': True,
            'link__outages': '[{at: 25us, lasts: 2us}]'}

IN_ORDER = """
seed: 3
data: elided
link: {rate: 100Gbps, length: 10m, bit_error_rate: 1e-6}
traffic: {messages: 8, path_mtu: 1024}
nodes:
  a: {mac: "02:00:00:00:00:0a", ip: 10.0.0.1, drain_rate: 90Gbps}
  b: {mac: "02:00:00:00:00:0b", ip: 10.0.0.2, drain_rate: 80Gbps}
"""
PERMUTED = """
nodes:
  b: {drain_rate: 80Gbps, ip: 10.0.0.2, mac: "02:00:00:00:00:0b"}
  a: {drain_rate: 90Gbps, ip: 10.0.0.1, mac: "02:00:00:00:00:0a"}
traffic: {path_mtu: 1024, messages: 8}
link: {bit_error_rate: 1e-6, length: 10m, rate: 100Gbps}
data: elided
seed: 3
"""


class Determinism(LinkCase):
    def assert_same(self, first, second, outputs=ALL):
        for output in outputs:
            self.assertTrue(first.bytes(output) == second.bytes(output), f'{output} differs')

    def run_all(self, *arguments, name, **settings):
        return self.run_link(*arguments, name=name, outputs=ALL, **settings)

    def test_the_same_seed_gives_the_same_bytes(self):
        first = self.run_all(name='first', **EVENTFUL)
        for metric in ('b.link.rx_corrupted', 'a.link.tx_dropped', 'a.link.lost_down',
                       'b.port.receive.stalls', 'a.port.send.stalls', 'b.port.pfc_xoff_sent',
                       'a.port.pfc_xoff_sent'):
            self.assertGreater(first[metric], 0, metric)
        self.assert_same(first, self.run_all(name='again', **EVENTFUL))

    def test_the_same_seed_gives_the_same_bytes_of_a_run_of_seconds(self):
        # Long enough to be flushed on the way, at other places each time.
        settings = {'data': 'elided', 'traffic__messages': 1_000_000,
                    'traffic__message_size': '1B', 'nodes__b__drain_rate': '20Gbps'}
        first, again = (self.run_link(name=name, outputs=('report', 'trace'), **settings)
                        for name in ('first', 'again'))
        self.assert_same(first, again, ('report', 'trace'))

    def test_another_seed_gives_another_run(self):
        first, other = (self.run_all('--seed', seed, name=f'seed{seed}', **EVENTFUL)
                        for seed in (1, 2))
        self.assertNotEqual(first.metrics, other.metrics)
        for output in ALL:
            self.assertNotEqual(first.bytes(output), other.bytes(output))

    def test_outputs_change_no_metric(self):
        with_all = self.run_all(name='with_all', **EVENTFUL)
        self.assert_same(with_all, self.run_link(name='alone', **EVENTFUL), ('report',))

    def test_the_order_of_keys_and_nodes_changes_nothing(self):
        runs = []
        for name, text in (('in_order', IN_ORDER), ('permuted', PERMUTED)):
            path = self.folder / f'{name}.yaml'
            path.write_text(text)
            runs.append(self.run_all('--config', path, name=name))
        self.assertGreater(runs[0]['b.link.rx_corrupted'], 0)
        self.assert_same(*runs)

    def test_two_partitions_give_the_same_run_as_one(self):
        for data in ('elided', 'carried'):
            settings = {**EVENTFUL, 'data': data}
            one = self.run_all(name='one', **settings)
            two = self.run_all('--partitions', 2, name='two', **settings)
            self.assertEqual(two.report['host']['partitions'], 2)
            self.assert_same(one, two, ('report', 'trace', 'pcap'))
            # A timeline is in order of calls: two partitions' calls at one time have none.
            self.assertEqual(*(sorted(map(repr, run.timeline)) for run in (one, two)))

    def test_carried_and_elided_data_take_the_same_times(self):
        carried, elided = (self.run_all(name=data, **{**EVENTFUL, 'data': data})
                           for data in ('carried', 'elided'))
        self.assertEqual(carried.metrics, elided.metrics)
        self.assertEqual(carried.end_ps, elided.end_ps)
        self.assert_same(carried, elided, ('trace', 'timeline'))


if __name__ == '__main__':
    unittest.main()
