"""yosys makes of each block what the record says."""

import unittest

import blocks
import formal
import synthesis
import test_formal


class Synthesis(unittest.TestCase):
    def test_every_block_is_as_recorded(self):
        self.assertEqual(synthesis.changes(synthesis.recorded(), synthesis.all_measured()), [])

    def test_a_block_has_flip_flops_and_depth(self):
        for name, numbers in synthesis.recorded().items():
            larger = [str(synthesis.LARGER)] if blocks.named(name).sizes else []
            self.assertEqual(set(numbers), {*synthesis.MEANINGS, *larger}, name)
            self.assertGreater(min(numbers[key] for key in synthesis.MEANINGS), 0, name)
            self.assertTrue(all(numbers[key]['longest_path'] > 0 for key in larger), name)

    def test_a_change_of_the_rtl_is_told_with_before_and_after(self):
        block = blocks.named('pfc_gen')
        bug = blocks.Bug(blocks.GEN, 'DepthW  = 32', 'DepthW  = 31', '')
        changed = test_formal.in_folder(
            lambda folder: synthesis.measured(block, formal.seeded(bug, folder)))
        before = {block.name: synthesis.recorded()[block.name]}
        found = synthesis.changes(before, {block.name: changed})
        self.assertIn(f'cells: {before[block.name]["cells"]} before, {changed["cells"]} now',
                      found[0])
        self.assertIn(synthesis.RENEW, found[0])

    def test_a_block_that_came_or_went_is_a_change(self):
        numbers = dict.fromkeys(synthesis.MEANINGS, 1)
        self.assertIn('None before, 1 now', synthesis.changes({}, {'a': numbers})[0])
        self.assertIn('1 before, None now', synthesis.changes({'a': numbers}, {})[0])


if __name__ == '__main__':
    unittest.main()
