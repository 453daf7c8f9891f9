"""Congestion in the report and in the summary of a run."""

import copy
import json
import os
import pathlib
import sys
import unittest

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase, source  # noqa: E402


class Congestion(PlatformCase):
    executable = os.environ['PAUSED']

    def run_scene(self, scene, *arguments):
        config = self.folder / 'paused.yaml'
        config.write_text(f'scene: {scene}\n')
        return self.run_platform('--config', config, *arguments)

    def congestion(self, scene):
        """The block, of a report that is valid."""
        report = self.run_scene(scene).report
        self.assertEqual([e.message for e in VALIDATOR.iter_errors(report)], [])
        return report['congestion']

    def test_without_a_pause_there_is_no_block_and_no_line(self):
        run = self.run_scene('none')
        self.assertTrue(VALIDATOR.is_valid(run.report))
        self.assertNotIn('congestion', run.report)
        self.assertNotIn('pauses', run.out)

    def test_a_tree_and_its_victim_are_told(self):
        self.assertEqual(self.congestion('tree'), {
            'pauses': 2, 'unlogged': 0, 'depth': 2, 'ports': 2, 'hosts': 1, 'all_hosts': 3,
            'roots': 1,
            'trees': [{
                'root': 'h1.nic0', 'priority': 3, 'kind': 'receiver',
                'first_us': 1.0, 'last_us': 500.0, 'pauses': 2, 'pause_us': 499.0 + 398.0,
                'hosts': 1, 'depth': 2,
                'depths': [
                    {'pauses': 1, 'pause_us': 499.0, 'port_count': 1, 'ports': ['sw0.p1']},
                    {'pauses': 1, 'pause_us': 398.0, 'port_count': 1, 'ports': ['h0.nic0']}]}],
            'victims': 1, 'victims_lost_us': 398.0,
            'victim_flows': [{'flow': 1, 'lost_us': 398.0, 'share': 0.398, 'root': 'h1.nic0',
                              'priority': 3}]})

    def test_the_summary_tells_it_in_short(self):
        lines = self.run_scene('tree').out.splitlines()
        self.assertIn('pauses by their root                              count     '
                      '  time  depth  hosts', lines)
        self.assertIn('  h1.nic0 priority 3, receiver                        2   89'
                      '7.0 us      2      1', lines)
        self.assertIn('victim: flow1 lost 398.0 us (39.8 %) to h1.nic0 priority 3', lines)
        self.assertEqual(self.run_scene('tree', '--quiet').out, '')

    def test_a_cycle_names_its_members(self):
        [tree] = self.congestion('cycle')['trees']
        self.assertEqual((tree['kind'], tree['length']), ('cycle', 3))
        self.assertEqual(tree['members'], ['r0.out', 'r1.out', 'r2.out'])
        self.assertEqual(tree['last_us'], 1000.0)
        lines = self.run_scene('cycle').out.splitlines()
        [line] = [i for i, text in enumerate(lines) if 'priority 3, cycle of 3' in text]
        self.assertEqual(lines[line + 1], '    r0.out > r1.out > r2.out')

    def test_what_was_not_logged_is_said(self):
        self.assertEqual(self.congestion('unlogged')['unlogged'], 2)
        self.assertIn('\n2 pauses not logged\n', self.run_scene('unlogged').out)

    def test_it_is_bounded_and_says_what_is_left_out(self):
        block = self.congestion('many')
        self.assertEqual((block['roots'], len(block['trees'])), (150, 100))
        self.assertEqual((block['victims'], len(block['victim_flows'])), (2000, 1000))
        [depth] = block['trees'][0]['depths']
        self.assertEqual((depth['port_count'], len(depth['ports'])), (120, 100))
        self.assertEqual(depth['ports'], sorted(depth['ports']))
        out = self.run_scene('many').out
        self.assertEqual(out.count(', oversubscription '), 3)
        self.assertIn('\n  147 roots more\n', out)
        self.assertEqual(out.count('\nvictim: '), 4)
        self.assertLessEqual(max(len(line) for line in out.splitlines()), 80)

    def test_the_schema_is_strict(self):
        report = self.run_scene('tree').report
        cycle = self.run_scene('cycle').report['congestion']['trees'][0]
        spoilt = []

        def spoil(change):
            spoilt.append(copy.deepcopy(report))
            change(spoilt[-1]['congestion'])

        for key in report['congestion']:
            spoil(lambda block, key=key: block.pop(key))
        tree = report['congestion']['trees'][0]
        for key in tree:
            spoil(lambda block, key=key: block['trees'][0].pop(key))
        for key in cycle:
            spoil(lambda block, key=key: block.update(
                trees=[{k: v for k, v in cycle.items() if k != key}]))
        spoil(lambda block: block.update(more=1))
        spoil(lambda block: block.update(trees=[tree] * 101))
        spoil(lambda block: block['trees'][0].update(members=['a.x', 'b.x'], length=2))
        spoil(lambda block: block['trees'][0].update(kind='other'))
        spoil(lambda block: block['trees'][0].update(priority=8))
        spoil(lambda block: block['victim_flows'][0].update(share=1.5))
        for one in spoilt:
            self.assertFalse(VALIDATOR.is_valid(one), one['congestion'])


VALIDATOR = jsonschema.Draft202012Validator(
    json.loads(source('platforms/common/report.schema.json').read_text()))

if __name__ == '__main__':
    unittest.main()
