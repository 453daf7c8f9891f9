"""The same configuration gives the same bytes, and looking changes nothing."""

import unittest

from hbm_case import HbmCase

# All at once: reads and writes, a bulk beside them, SIDs that refresh.
EVENTFUL = {'traffic__pattern': 'random', 'traffic__reads': 0.7, 'traffic__requests': 3000,
            'background__load': 0.1, 'background__size': '4KiB', 'hbm__organisation__sids': 2,
            'hbm__organisation__channels': 4}
IN_ORDER = """hbm:
  organisation: {stacks: 1, channels: 2, sids: 1}
  refresh: {mode: per_bank}
traffic: {pattern: random, requests: 2000}
background: {load: 0.2, reads: 0.5}
"""
OTHERWISE = """background: {reads: 0.5, load: 0.2}
traffic: {requests: 2000, pattern: random}
hbm:
  refresh: {mode: per_bank}
  organisation: {sids: 1, channels: 2, stacks: 1}
"""


class Determinism(HbmCase):
    def assert_same(self, first, second, outputs=('report',)):
        for output in outputs:
            self.assertTrue(first.bytes(output) == second.bytes(output), f'{output} differs')

    def test_the_same_seed_gives_the_same_bytes(self):
        outputs = ('report', 'trace')
        first, again = (self.run_one(name=name, outputs=outputs, **EVENTFUL)
                        for name in ('first', 'again'))
        self.assert_same(first, again, outputs)

    def test_another_seed_gives_another_run(self):
        first, other = (self.run_one('--seed', seed, name=f'seed{seed}', **EVENTFUL)
                        for seed in (1, 2))
        self.assertNotEqual(first.metrics, other.metrics)

    def test_the_order_of_keys_changes_nothing(self):
        runs = [self.run_platform('--config', self.config(text, f'{name}.yaml'), name=name)
                for name, text in (('one', IN_ORDER), ('two', OTHERWISE))]
        self.assert_same(*runs)

    def test_a_trace_changes_no_metric(self):
        watched = self.run_one(name='watched', outputs=('report', 'trace'), **EVENTFUL)
        self.assertGreater(len(watched.waves['hbm.stack0.channel0.pc0.arriving'].changes), 100)
        self.assertEqual(watched.metrics, self.run_one(name='plain', **EVENTFUL).metrics)

    def test_checkers_and_a_file_of_commands_change_no_metric(self):
        checked = self.run_one(name='checked', **EVENTFUL)
        path = self.folder / 'commands.txt'
        written = self.run_one(name='written', checks=False, command_trace=str(path), **EVENTFUL)
        self.assertEqual(checked.metrics, written.metrics)
        commands = sum(v for k, v in checked.metrics.items() if k.startswith('hbm.commands_'))
        lines = [line for line in path.read_text().splitlines() if not line.startswith('#')]
        self.assertEqual(len(lines), commands)

    def test_every_command_has_one_cause(self):
        for settings in (EVENTFUL, {**EVENTFUL, 'hbm__refresh__mode': 'per_bank',
                                    'hbm__page__policy': 'closed'}):
            metrics = self.run_one(**settings).metrics
            for kind in ('act', 'pre', 'prea', 'rd', 'rda', 'wr', 'wra', 'refab', 'refpb'):
                causes = sum(v for k, v in metrics.items() if k.startswith(f'bound.{kind}.'))
                self.assertEqual(causes, metrics[f'hbm.commands_{kind}'], kind)


if __name__ == '__main__':
    unittest.main()
