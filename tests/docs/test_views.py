"""The saved views of GTKWave name signals that their platforms have."""

import json
import os
import re
import subprocess
import unittest

import generated
import tree

NAME = re.compile(r'^(?:\+\{[^}]*\} )?(?:\(\d+\))?([a-z]\w*(?:\.\w+)+)(?:\[\d+:\d+\])?$')


def names_in(view):
    return [m[1] for m in map(NAME.match, view.splitlines()) if m]


def signals_of(platform):
    program = generated.executable(platform, tree.BUILD)
    config = tree.ROOT / 'platforms' / platform / f'{platform}.yaml'
    done = subprocess.run([program, '--config', config, '--describe=json'], capture_output=True,
                          text=True, check=True,
                          env={**os.environ, 'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'})
    return {signal['name'] for signal in json.loads(done.stdout)['signals']}


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
                                  'h0.link0.tx_busy\nsw0.buffer_bytes[39:0]\n'),
                         ['sw0.port1.paused', 'h0.link0.tx_busy', 'sw0.buffer_bytes'])


if __name__ == '__main__':
    unittest.main()
