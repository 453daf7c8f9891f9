"""The locksteps run the lines of the RTL, and each that they do not has a reason."""

import unittest

import blocks
import coverage
import test_formal

SOURCE = 'rtl/x/x.sv'
TEXT = 'a\n' * 20 + 'b\n'


def info(uncovered=(), lines=21):
    counts = [f'DA:{n},{0 if n in uncovered else 7}' for n in range(1, lines + 1)]
    return '\n'.join(['TN:verilator_coverage', f'SF:/here/{SOURCE}', *counts, 'end_of_record'])


class Coverage(unittest.TestCase):
    def test_every_line_of_every_block_runs_or_has_a_reason(self):
        for block in blocks.BLOCKS:
            with self.subTest(block=block.name):
                found = test_formal.in_folder(coverage.measured, block)
                for source in block.sources:
                    text = (blocks.ROOT / source).read_text(encoding='utf-8')
                    holes = block.holes if source == block.source else {}
                    self.assertEqual(coverage.faults(found, source, text, holes), [])


class Machinery(unittest.TestCase):
    def faults(self, holes=None, **counts):
        return coverage.faults(info(**counts), SOURCE, TEXT, holes or {})

    def test_all_lines_are_enough(self):
        self.assertEqual(self.faults(), [])

    def test_a_line_without_a_reason_is_found(self):
        self.assertEqual(self.faults(uncovered=[21]), [f'{SOURCE}:21: never run: b'])

    def test_a_reason_explains_a_line(self):
        self.assertEqual(self.faults({'b': 'why'}, uncovered=[21]), [])

    def test_a_hole_that_is_gone_is_found(self):
        self.assertIn('no hole any more', self.faults({'b': 'why'})[0])

    def test_too_many_holes_are_too_many_whatever_the_reasons(self):
        self.assertIn('90.5% of 21 lines', self.faults({'a': 'why'}, uncovered=[1, 2])[0])

    def test_an_empty_count_is_found(self):
        self.assertEqual(self.faults(lines=0), [f'{SOURCE}: no line was counted'])


if __name__ == '__main__':
    unittest.main()
