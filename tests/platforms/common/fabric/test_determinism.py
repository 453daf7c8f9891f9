"""A run of a fabric is a function of configuration and seed, and of nothing else."""

import unittest

from fabric_case import FabricCase, total
from platform_run import ALL

# Everything that draws random numbers is at work: flows, load balancing, marks, bit errors, stalls.
EVENTFUL = """
seed: 3
data: carried
link: {rate: 100Gbps, length: 10m, bit_error_rate: 1e-7}
topology: {kind: leaf_spine, leaves: 3, spines: 2, hosts_per_switch: 3}
switch: {buffer: 3MiB, load_balance: spray, ecn: {kmin: 20KB, kmax: 200KB, pmax: 0.5}}
tester:
  drain_rate: 80Gbps
  receive_stall: {probability: 0.05, longest: 1us}
congestion: {algorithm: dcqcn, parameters: hardware, clock: 4ns, dcqcn: {rp_min_rate: 10000}}
traffic: {pattern: poisson, load: 0.9, messages: 4, duration: 100us}
stuck: [{port: h4, at: 20us, lasts: 50us}]
"""

NODES = """
seed: 3
data: elided
switch: {load_balance: ecmp, buffer: 3MiB}
topology:
  kind: explicit
  nodes:
    left: {kind: switch}
    right: {kind: switch}
    h0: {kind: host}
    h1: {kind: host}
    h2: {kind: host}
    h10: {kind: host}
  links:
    - {from: h0.0, to: left.0}
    - {from: h1.0, to: left.1}
    - {from: h2.0, to: right.0}
    - {from: h10.0, to: right.1}
    - {from: left.4, to: right.4, length: 20m}
    - {from: left.5, to: right.5, length: 20m}
traffic: {pattern: permutation, messages: 8}
"""
PERMUTED = """
traffic: {messages: 8, pattern: permutation}
topology:
  links:
    - {to: left.5, from: right.5, length: 20m}
    - {from: right.1, to: h10.0}
    - {from: left.4, to: right.4, length: 20m}
    - {from: h1.0, to: left.1}
    - {from: right.0, to: h2.0}
    - {from: h0.0, to: left.0}
  nodes:
    h10: {kind: host}
    right: {kind: switch}
    h2: {kind: host}
    h1: {kind: host}
    left: {kind: switch}
    h0: {kind: host}
  kind: explicit
switch: {buffer: 3MiB, load_balance: ecmp}
data: elided
seed: 3
"""


def without_config(run):
    return {key: value for key, value in run.report.items() if key not in ('host', 'config')}


class Determinism(FabricCase):
    def assert_same(self, first, second, outputs=ALL):
        for output in outputs:
            self.assertTrue(first.bytes(output) == second.bytes(output), f'{output} differs')

    def test_the_same_seed_gives_the_same_bytes(self):
        first, again = (self.run_text(EVENTFUL, name=name, outputs=ALL)
                        for name in ('first', 'again'))
        for metric in ('ecn_marked', 'pfc_xoff_sent', 'rx_corrupted', 'out_of_order_packets',
                       'cnp_sent'):
            self.assertGreater(total(first, metric), 0, metric)
        self.assert_same(first, again)

    def test_another_seed_gives_another_run(self):
        first, other = (self.run_text(EVENTFUL, '--seed', seed, name=f'seed{seed}')
                        for seed in (1, 2))
        self.assertNotEqual(first['total.goodput_gbps'], other['total.goodput_gbps'])

    def test_outputs_change_no_metric(self):
        with_all = self.run_text(EVENTFUL, name='with_all', outputs=ALL)
        self.assert_same(with_all, self.run_text(EVENTFUL, name='alone'), ('report',))

    def test_partitions_give_the_same_run_as_one(self):
        one = self.run_text(EVENTFUL, name='one', outputs=ALL)
        for count in (2, 5):
            cut = self.run_text(EVENTFUL, '--partitions', count, name=f'cut{count}', outputs=ALL)
            self.assertEqual(cut.report['host']['partitions'], count)
            self.assert_same(one, cut, ('report', 'trace', 'pcap'))

    def test_engine_and_clocking_of_the_blocks_change_nothing(self):
        runs = [self.run_text(EVENTFUL, name=f'{engine}_{clocking}',
                              outputs=('report', 'pcap', 'timeline'),
                              congestion__engine=engine, congestion__clocking=clocking)
                for engine in ('rtl', 'model') for clocking in ('gated', 'free_running')]
        for metric in ('pfc_xoff_sent', 'pfc_xoff_received', 'ecn_marked', 'cnp_received'):
            self.assertGreater(total(runs[0], metric), 0, metric)
        for block in ('pfc_gen', 'pfc_rx', 'ecn_marker', 'dcqcn_rp', 'dcqcn_np', 'pacer'):
            self.assertGreater(runs[0].report['host']['block_cycles'][block], 0, block)
        for run in runs[1:]:
            self.assertEqual(without_config(runs[0]), without_config(run))
            self.assert_same(runs[0], run, ('pcap', 'timeline'))

    def test_the_order_of_nodes_and_links_changes_nothing(self):
        first = self.run_text(NODES, name='first', outputs=ALL)
        permuted = self.run_text(PERMUTED, name='permuted', outputs=ALL)
        self.assertEqual(first['total.unfinished_flows'], 0)
        self.assertEqual(without_config(first), without_config(permuted))
        self.assert_same(first, permuted, ('trace', 'pcap', 'timeline'))

    def test_carried_and_elided_data_take_the_same_times(self):
        carried, elided = (self.run_text(EVENTFUL, name=data, outputs=ALL, data=data)
                           for data in ('carried', 'elided'))
        self.assertEqual(carried.metrics, elided.metrics)
        self.assert_same(carried, elided, ('trace', 'timeline'))

    def test_a_report_reproduces_its_run(self):
        first = self.run_text(EVENTFUL, name='first')
        again = self.run_platform('--config', first.path('report'), '--no-expect', name='again')
        self.assert_same(first, again, ('report',))


if __name__ == '__main__':
    unittest.main()
