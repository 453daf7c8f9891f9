"""Faults of other simulators of RoCE fabrics, of which each has a test that a fabric of ours has it
not. README.md lists them all and where the others are tested."""

import json
import math
import signal
import unittest

import jsonschema
from peers_case import PeersCase, source

INCAST = """
source: tester
data: elided
link: {rate: 100Gbps, length: 20m}
switch: {buffer: 2MiB, ecn: {enabled: false}}
traffic: {senders: 8, messages: 16}
"""
FAT_TREE = """
source: tester
data: elided
topology: {kind: fat_tree, k: 8}
traffic: {pattern: all_to_all, messages: 1, message_size: 256B}
"""


class Losses(PeersCase):
    def test_short_cables_drop_nothing_with_headroom_as_computed(self):
        for length in ('0m', '1m', '20m'):
            for mtu in (256, 1024, 4096):
                run = self.run_text(INCAST, link__length=length, nic__path_mtu=mtu,
                                    tester__response_quanta=394)
                self.assertGreater(run['sw0.port0.pfc_xoff_sent'], 5)
                self.assert_lossless(run)

    def test_flows_that_lost_packets_end_the_run_and_are_counted(self):
        # In a buffer that needs no pause: one that was lost would be another matter.
        lossy = {'link__drop_probability': 0.01, 'switch__buffer': '256MiB'}
        run = self.run_text(INCAST, **lossy)
        self.assertEqual((run.report['end'], run['total.unfinished_flows']), ('drained', 8))
        self.assertIn(': 0 of 8 finished\n', run.out)
        bound = [{'metric': 'total.unfinished_flows', 'equals': 0}]
        missed = self.run_text(INCAST, code=1, expect=bound, **lossy)
        self.assertIn('total.unfinished_flows = 8', missed.err)

    def test_what_hangs_is_explained_and_exits_3(self):
        run = self.run_text(INCAST, code=3, link__outages='[{at: 20us, lasts: 0s}]')
        self.assertEqual(run.report['end'], 'failed')
        self.assertIn('waits for', run.err)


class Ends(PeersCase):
    def test_a_run_ends_with_its_last_packet(self):
        # Though pauses are refreshed and a watchdog polls.
        run = self.run_text(INCAST, switch__pfc__quanta=1024, switch__watchdog__enabled=True)
        self.assertGreater(run['sw0.port0.pfc_refresh_sent'], 0)
        self.assertEqual(run.report['end'], 'drained')
        self.assertLess(run.end_ps - run['total.completion_us'] * 1e6, 1e6)

    def test_results_are_renewed_while_it_runs(self):
        process, run = self.start_platform('--no-expect', traffic__messages=10**8)
        path = run.path('report')

        def simulated():
            return json.loads(path.read_text())['simulated_ns'] if path.exists() else 0

        self.wait_until(lambda: simulated() > 0, process)
        first = simulated()
        self.wait_until(lambda: simulated() > first, process)
        process.send_signal(signal.SIGKILL)
        self.end_of(process, run)
        schema = json.loads(source('platforms/common/report.schema.json').read_text())
        jsonschema.validate(run.report, schema, jsonschema.Draft202012Validator)
        self.assertEqual((run.report['end'], run.report['complete']), ('running', False))
        self.assertGreater(run['flow0.goodput_gbps'], 1)


class Sizes(PeersCase):
    def run_pattern(self, hosts, keys, **settings):
        run = self.run_text(f'source: tester\ndata: elided\ntopology: {{hosts: {hosts}}}\n'
                            f'traffic: {{messages: 2, message_size: 8KiB, {keys}}}\n', **settings)
        self.assert_lossless(run)
        return run

    def test_a_switch_of_300_ports_carries_frames_between_all_neighbours(self):
        run = self.run_pattern(300, 'pattern: ring', switch__buffer='256MiB')
        for i in range(300):
            self.assertEqual(run[f'sw0.link{i}.tx_frames'], 4)

    def test_299_senders_share_the_300th_port_of_a_switch(self):
        run = self.run_pattern(300, 'senders: 299', switch__buffer='256MiB')
        self.assertEqual(run['sw0.link299.tx_frames'], 4 * 299)
        self.assertGreater(run['total.goodput_gbps'], 380)

    def test_any_priority_has_any_number_of_flows(self):
        for priority in range(8):
            run = self.run_pattern(12, f'pattern: all_to_all, priority: {priority}',
                                   switch__pfc__priorities=f'[{priority}]')
            self.assertEqual(sum(name.endswith('.completion_us') for name in run.metrics), 133)

    def test_as_many_flows_as_one_likes_share_a_port_and_a_priority(self):
        flows = ', '.join(['{source: h0, destination: h1}'] * 3000)
        run = self.run_pattern(2, f'pattern: list, priority: 7, flows: [{flows}]',
                               switch__pfc__priorities='[7]')
        self.assertEqual(run['h0.nic0.sent_packets'], 4 * 3000)


class Options(PeersCase):
    def test_one_that_is_unknown_or_does_nothing_is_refused(self):
        for key, value in (('switch.bufer', '1MiB'), ('switch.ecn.kmid', '1KB'),
                           ('traffic.hops', 3), ('traffic.load', 0.5), ('topology.k', 4),
                           ('switch.headroom.size', '9KB')):
            run = self.run_platform('--set', f'{key}={value}', outputs=(), code=2)
            self.assertIn(key, run.err)


class Polarisation(PeersCase):
    def uplinks(self, **settings):
        """Frames of every uplink of every aggregation switch."""
        run = self.run_text(FAT_TREE, **settings)
        self.assert_lossless(run)
        return [[run[f'agg{a}.link{port}.tx_frames'] for port in range(4, 8)] for a in range(32)]

    def test_two_tiers_use_every_path_alike(self):
        counts = [n for uplinks in self.uplinks() for n in uplinks]
        self.assertEqual(len(counts), 128)
        mean = sum(counts) / 128
        self.assertEqual(mean, 112)  # hosts of other pods: each has a flow from each host
        chi = sum((n - mean) ** 2 for n in counts) / mean
        freedom = 120  # the flows of each of 8 pods are a fixed number, over 16 uplinks
        spread = 2 / (9 * freedom)  # Wilson and Hilferty 1931: once in 10^5
        self.assertLess((math.cbrt(chi / freedom) - (1 - spread)) / math.sqrt(spread), 4.3)

    def test_one_seed_for_all_switches_leaves_three_of_four_uplinks_idle(self):
        for uplinks in self.uplinks(switch__hash_seed=7):
            self.assertEqual(sum(n == 0 for n in uplinks), 3)


if __name__ == '__main__':
    unittest.main()
