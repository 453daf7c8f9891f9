"""The saved views of GTKWave name signals that their platforms have."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import generated
import tree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
import vcd

STEP = r'\w+(?:\[\d+\])?'
NAME = re.compile(rf'^(?:\+\{{[^}}]*\}} )?(?:\(\d+\))?((?=[a-z]){STEP}(?:\.{STEP})+)(?:\[\d+:\d+\])?$')


def names_in(view):
    return [m[1] for m in map(NAME.match, view.splitlines()) if m]


def signals_of(platform):
    """Of models and of the Verilated RTL: what a trace of it declares."""
    program = generated.executable(platform, tree.BUILD)
    config = tree.ROOT / 'platforms' / platform / f'{platform}.yaml'
    with tempfile.TemporaryDirectory() as folder:
        trace = f'{folder}/x.fst'
        subprocess.run([program, '--config', config, '--until', '1us', '--no-expect', '--quiet',
                        '--trace', trace], cwd=folder, check=True,
                       env={**os.environ, 'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'})
        return set(vcd.read_fst(trace).signals)


class Views(unittest.TestCase):
    def test_every_signal_of_a_view_is_one_of_its_platform(self):
        views = tree.files(tree.ROOT, ('.gtkw',))
        self.assertGreaterEqual(len(views), 3)
        for view in views:
            names = names_in(tree.text(tree.ROOT, view))
            self.assertGreater(len(names), 5, view)
            self.assertEqual(set(names) - signals_of(view.stem), set(), view)

    def test_names_are_read_with_alias_bit_and_range(self):
        self.assertEqual(names_in('[pos] -1 -1\n@28\n-Title\n+{a b} (4)sw0.port1.paused[7:0]\n'
                                  'h0.link0.tx_busy\nsw0.buffer_bytes[39:0]\n'
                                  'sw0.pfc_gen.g_prio[3].state[1:0]\n'),
                         ['sw0.port1.paused', 'h0.link0.tx_busy', 'sw0.buffer_bytes',
                          'sw0.pfc_gen.g_prio[3].state'])


if __name__ == '__main__':
    unittest.main()
