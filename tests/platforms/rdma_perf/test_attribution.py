"""Every stage is busy, starved or blocked at every moment, in every configuration that is shipped."""

import collections
import re
import unittest

from rdma_case import RdmaCase
from platform_run import source

# So that runs are short; what is attributed does not depend on it.
SHORT = {'iterations': 40}
SIZES = {'latency': (2, 256, 4096), 'message_rate': (2, 1024, 65536)}
QPS = {'many_qps': {'iterations': 4, 'depth': 4, 'qps': 1200}}
STATE = re.compile(r'(.+\.nic\d+\..+?)\.(?:(class\d+)\.)?(busy|starved|blocked_\w+)_ns')


def stages(run):
    """{stage: {class or None: {state: ns}}}"""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for name, value in run.metrics.items():
        match = STATE.fullmatch(name)
        if match:
            found[match[1]][match[2]][match[3]] = value
    return found


class Attribution(RdmaCase):
    def assert_sums(self, run, hosts, classes=0):
        found = stages(run)
        self.assertEqual(len(found) % hosts, 0)
        self.assertGreaterEqual(len(found) // hosts, 14)
        for stage, of in found.items():
            # Picoseconds, exactly; the report's numbers are nanoseconds.
            self.assertEqual(round(1000 * sum(of[None].values())), run.end_ps, stage)
            # EQEs are of no class.
            self.assertEqual(len(of) - 1, 0 if stage.endswith('.event') else classes, stage)
            for state, whole in of[None].items():
                if len(of) > 1 and state != 'starved':
                    parts = sum(of[f'class{c}'][state] for c in range(classes))
                    self.assertAlmostEqual(parts, whole, delta=0.0005, msg=f'{stage} {state}')

    def test_the_states_of_every_stage_sum_to_the_time_in_every_shipped_configuration(self):
        for config in sorted(source('platforms/rdma_perf').glob('*.yaml')):
            with self.subTest(config.stem):
                settings = QPS.get(config.stem, SHORT)
                if config.stem in SIZES:
                    settings = {**settings, 'sizes': SIZES[config.stem]}
                run = self.run_rdma('--config', config, name=config.stem, **settings)
                self.assert_sums(run, 4 if config.stem == 'slow_receiver' else 2)

    def test_classes_sum_to_the_whole(self):
        run = self.run_rdma(sizes=(64, 65536), iterations=100, mixed=True, traffic_class=32,
                            nic__send__weights='[1, 3]')
        self.assert_sums(run, 2, classes=2)
        found = stages(run)['h0.nic0.transmit']
        self.assertEqual(found['class0']['busy'], 0)
        self.assertGreater(found['class1']['busy'], 0)

    def test_what_a_stage_waits_for_is_named(self):
        """Each cause where it is made to be the bound."""
        few = {'sizes': (65536,), 'iterations': 50, 'data': 'elided'}
        for stage, cause, settings in (
                ('packetiser', 'memory', {}),
                ('scheduler', 'window', {'test': 'read', 'reads': 1}),
                ('scheduler', 'egress', {'link__rate': '100Gbps'}),
                ('scheduler', 'reads', {'nic__dma__payload_bytes': '16KiB'})):
            with self.subTest(cause):
                run = self.run_rdma(name=cause, **few, **settings)
                of = stages(run)[f'h0.nic0.{stage}'][None]
                largest = max((s for s in of if s.startswith('blocked')), key=of.get)
                self.assertEqual(largest, f'blocked_{cause}', of)


if __name__ == '__main__':
    unittest.main()
