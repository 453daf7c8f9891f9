"""Contexts are memory, not flip-flops, in every size class, and as many bits as the record says."""

import unittest

import blocks
import memories


class Memories(unittest.TestCase):
    def test_every_block_is_as_recorded(self):
        self.assertEqual(memories.changes(memories.recorded(), memories.all_measured()), [])

    def test_memories_grow_with_contexts_and_flip_flops_with_the_width_of_an_index_alone(self):
        for name, sizes in memories.recorded().items():
            small, middle, large = (sizes[str(n)] for n in (16, 256, 4096))
            self.assertLess(large['flip_flops'], 2 * small['flip_flops'], name)
            step = middle['memory_bits'] - small['memory_bits']
            self.assertAlmostEqual((large['memory_bits'] - middle['memory_bits']) / step, 16,
                                   delta=1, msg=name)
            self.assertEqual(large['memories'], small['memories'], name)

    def test_contexts_in_flip_flops_are_found(self):
        record = memories.recorded()
        name = next(iter(record))
        size = next(iter(record[name]))
        worse = {**record[name], size: {**record[name][size], 'flip_flops': 1}}
        self.assertIn(name, memories.changes(record, {**record, name: worse})[0])

    def test_every_block_with_contexts_has_sizes(self):
        for block in blocks.BLOCKS:
            text = (blocks.ROOT / block.source).read_text(encoding='utf-8')
            self.assertEqual('NumQps' in text, bool(block.sizes), block.name)


if __name__ == '__main__':
    unittest.main()
