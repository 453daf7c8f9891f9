"""Faults of other simulators of RoCE fabrics, of which each has a test that a fabric of ours has it
not. README.md lists them all and where the others are tested."""

import json
import math
import signal
import unittest

import jsonschema
from peers_case import PeersCase, source

SENDERS = {'traffic__senders': 8, 'expect': []}
SHORT = {'link__rate': '100Gbps', 'link__length': '20m', 'switch__buffer': '2MiB', **SENDERS}
FAT_TREE = {'topology__kind': 'fat_tree', 'topology__k': 8, 'link__rate': '100Gbps',
            'traffic__pattern': 'all_to_all', 'traffic__messages': 1,
            'traffic__message_size': '256B', 'expect': []}


class Losses(PeersCase):
    def test_short_cables_drop_nothing_with_headroom_as_computed(self):
        for length in ('0m', '1m', '20m'):
            for mtu in (256, 1024, 4096):
                run = self.run_platform(**{**SHORT, 'link__length': length},
                                        tester__response_quanta=394, nic__path_mtu=mtu)
                self.assertGreater(run['sw0.port0.pfc_xoff_sent'], 10)
                self.assertEqual((run['total.dropped_frames'], run['total.unfinished_flows']),
                                 (0, 0))

    def test_flows_that_lost_packets_end_the_run_and_are_counted(self):
        lossy = {**SHORT, 'link__drop_probability': 0.01}
        run = self.run_platform(**lossy)
        self.assertEqual((run.report['end'], run['total.unfinished_flows']), ('drained', 8))
        self.assertRegex(run.out, r'total\.unfinished_flows +8 ')
        self.assertEqual(run['flow0.completion_us'], 0)
        bound = [{'metric': 'total.unfinished_flows', 'equals': 0}]
        missed = self.run_platform(code=1, **{**lossy, 'expect': bound})
        self.assertIn('total.unfinished_flows = 8', missed.err)

    def test_every_shipped_configuration_bounds_unfinished_flows(self):
        for config in source('platforms').glob('*/*.yaml'):
            self.assertIn('total.unfinished_flows', config.read_text(), config)

    def test_what_hangs_is_explained_and_exits_3(self):
        run = self.run_platform(code=3, **SHORT, link__outages='[{at: 20us, lasts: 0s}]')
        self.assertEqual(run.report['end'], 'failed')
        self.assertIn('waits for', run.err)


class Ends(PeersCase):
    def test_a_run_ends_with_its_last_packet(self):
        # Though pauses are refreshed and a watchdog polls.
        run = self.run_platform(**SHORT, switch__pfc__quanta=1024, switch__watchdog__enabled=True,
                                switch__watchdog__detection='100us', switch__watchdog__poll='10us')
        self.assertGreater(run['sw0.port0.pfc_refresh_sent'], 0)
        self.assertEqual(run.report['end'], 'drained')
        self.assertLess(run.end_ps - run['total.completion_us'] * 1e6, 1e6)

    def test_results_are_renewed_while_it_runs(self):
        process, run = self.start_platform(traffic__messages=10**8, **SENDERS)
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
    def test_a_switch_of_300_ports_carries_frames_between_all_neighbours(self):
        run = self.run_platform(topology__hosts=300, traffic__pattern='ring', traffic__messages=4,
                                switch__buffer='256MiB', expect=[])
        self.assertEqual((run['total.unfinished_flows'], run['total.dropped_frames']), (0, 0))
        self.assertTrue(all(run[f'sw0.link{i}.tx_frames'] == 64 for i in range(300)))

    def test_299_senders_share_the_300th_port_of_a_switch(self):
        run = self.run_platform(traffic__senders=299, traffic__messages=4, switch__buffer='256MiB',
                                expect=[])
        self.assertEqual((run['total.unfinished_flows'], run['total.dropped_frames']), (0, 0))
        self.assertGreater(run['total.goodput_gbps'], 390)

    def test_any_priority_has_any_number_of_flows(self):
        for priority in range(8):
            run = self.run_platform(
                topology__hosts=12, traffic__pattern='all_to_all', traffic__priority=priority,
                traffic__messages=2, switch__pfc__priorities=f'[{priority}]', expect=[],
                switch__buffer='4MiB')
            self.assertEqual((run['total.unfinished_flows'], run['total.dropped_frames']), (0, 0))
            self.assertEqual(sum(f'flow{i}.goodput_gbps' in run.metrics for i in range(200)), 132)

    def test_as_many_flows_as_one_likes_share_a_port_and_a_priority(self):
        flows = [{'source': 'h0', 'destination': 'h1'}] * 3000
        run = self.run_platform(topology__hosts=2, traffic__pattern='list', traffic__flows=flows,
                                traffic__priority=7, traffic__messages=1, expect=[],
                                traffic__message_size='1KiB', switch__pfc__priorities='[7]')
        self.assertEqual((run['total.unfinished_flows'], run['total.dropped_frames']), (0, 0))


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
        run = self.run_platform(**FAT_TREE, **settings)
        self.assertEqual((run['total.unfinished_flows'], run['total.dropped_frames']), (0, 0))
        return [[run[f'agg{a}.link{port}.tx_frames'] for port in range(4, 8)] for a in range(32)]

    def test_two_tiers_use_every_path_alike(self):
        counts = [n for uplinks in self.uplinks() for n in uplinks]
        self.assertEqual(len(counts), 128)
        mean = sum(counts) / 128
        self.assertEqual(mean * 128, 128 * 112)  # a flow to each host of another pod
        chi = sum((n - mean) ** 2 for n in counts) / mean
        freedom = 127  # at least: each edge's choice and each aggregation switch's is free
        spread = 2 / (9 * freedom)  # Wilson and Hilferty 1931: once in 10^5
        self.assertLess((math.cbrt(chi / freedom) - (1 - spread)) / math.sqrt(spread), 4.3)

    def test_one_seed_for_all_switches_leaves_three_of_four_uplinks_idle(self):
        for uplinks in self.uplinks(switch__hash_seed=7):
            self.assertEqual(sum(n == 0 for n in uplinks), 3)


if __name__ == '__main__':
    unittest.main()
