"""Each block's properties are proved, and each seeded bug breaks the assertion that it should."""

import concurrent.futures
import dataclasses
import os
import pathlib
import tempfile
import unittest

import blocks
import formal


def in_folder(use, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        return use(*arguments, pathlib.Path(folder))


def all_of(use, rows):
    """use(*row, folder) of each row, on all cores; what is not None and not empty."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [r for r in pool.map(lambda row: in_folder(use, *row), rows) if r]


class Proofs(unittest.TestCase):
    def test_every_property_is_proved_and_every_cover_point_reached(self):
        rows = [(b, p) for b in blocks.BLOCKS for p in b.proofs]
        self.assertEqual(all_of(formal.faults, rows), [])

    def test_every_block_has_a_proof_whose_cover_points_are_reached(self):
        for block in blocks.BLOCKS:
            self.assertTrue(any(p.covers and p.cover_steps for p in block.proofs), block.name)

    def test_every_block_has_a_row(self):
        modules = {p.stem for p in (blocks.ROOT / 'rtl').glob('*/*.sv')
                   if p.parent.name != 'common'}
        self.assertEqual(modules, {name for b in blocks.BLOCKS for name in (b.name, *b.parts)})


class Bugs(unittest.TestCase):
    def test_every_seeded_bug_breaks_its_assertion(self):
        self.assertEqual(
            all_of(formal.survives, [(b, bug) for b in blocks.BLOCKS for bug in b.bugs]), [])

    def test_every_block_has_at_least_three(self):
        for block in blocks.BLOCKS:
            self.assertGreaterEqual(len(block.bugs), 3, block.name)


class Machinery(unittest.TestCase):
    """It can fail: on a small block of its own, all three ways, and on a bug that is none."""

    block = blocks.named('pfc_rx')
    lemma = next(p for p in block.proofs if p.name == 'rounding')
    small = {'NumPrio': 1, 'TimeW': 4, 'QuantaW': 1, 'IntW': 1, 'FracW': 1}

    def faults(self, **changes):
        proof = dataclasses.replace(self.lemma, parameters=self.small, **changes)
        return in_folder(formal.faults, self.block, proof)

    def test_a_wrong_count_is_found(self):
        self.assertEqual(self.faults(), [])
        self.assertIn('asserts: 5 cells, and the table says 4', self.faults(asserts=4)[0])
        self.assertIn('assumes: 1 cells', self.faults(assumes=2)[0])

    def test_a_cover_point_out_of_reach_is_found(self):
        proof = dataclasses.replace(self.block.proofs[0], cover_steps=2)
        self.assertIn('not reached in 2 cycles', in_folder(formal.faults, self.block, proof)[0])

    def test_a_bug_that_does_not_occur_is_an_error(self):
        bug = dataclasses.replace(self.block.bugs[0], pattern='no such text')
        with self.assertRaisesRegex(formal.Broken, 'occurs 0 times'):
            in_folder(formal.survives, self.block, bug)

    def test_a_bug_that_is_none_survives(self):
        bug = blocks.Bug(blocks.RX, 'ahead = a - b;', 'ahead = (a - b);', 'ClearForgetsAll', steps=2)
        self.assertIn('holds for 2 cycles', in_folder(formal.survives, self.block, bug))

    def test_a_proof_that_fails_names_its_assertion(self):
        def broken(folder):
            tree = formal.seeded(self.block.bugs[0], folder)
            return formal.faults(self.block, self.lemma, folder, tree)
        self.assertIn('RoundedToTheNearestCycle', ' '.join(in_folder(broken)))


if __name__ == '__main__':
    unittest.main()
