"""Single accesses take what their parts sum to."""

import unittest

from pcie_case import PcieCase, raw

STAGES = ('tag', 'transmit', 'line', 'switch', 'root', 'translation', 'memory', 'device')


class Latency(PcieCase):
    def run_latency(self, **settings):
        return self.run_sizes('latency', (64,), traffic__transfers=100, **settings)

    def test_a_read_of_memory_is_the_sum_of_its_way(self):
        run = self.run_latency()
        # 24 B up, 84 B down; a link of 80 ns each way; root complex 130 and 50; memory 90.
        self.assertAlmostEqual(run['size64.read_latency_ns_min'],
                               (24 + 84) / raw() + 2 * 80 + 130 + 50 + 90, delta=0.002)
        self.assertEqual(run['size64.read_latency_ns_count'], 100)

    def test_the_parts_of_a_read_sum_to_its_latency(self):
        run = self.run_latency(host__root__iommu__enabled=True, traffic__stride='4KiB')
        parts = sum(run[f'dev0.dma.read_stage.{stage}_ns'] for stage in STAGES)
        self.assertAlmostEqual(parts, run['dev0.dma.request_latency_ns_mean'], places=6)
        self.assertGreater(run['dev0.dma.read_stage.translation_ns'], 0)

    def test_a_doorbell_and_a_register_take_what_is_published(self):
        run = self.run_latency()
        self.assertGreater(run['doorbell_latency_ns_min'], 200)
        self.assertLess(run['doorbell_latency_ns_max'], 400)
        self.assertGreater(run['register_read_latency_ns_min'], 700)
        self.assertLess(run['register_read_latency_ns_max'], 1200)
        self.assertEqual(run['doorbell_latency_ns_count'], 100)
        self.assertEqual(run['register_read_latency_ns_count'], 100)

    def test_a_remote_node_a_walk_and_a_switch_add_what_they_take(self):
        least = 'size64.read_latency_ns_min'
        plain = self.run_latency()[least]
        remote = self.run_latency(name='remote', host__memory__nodes=2, traffic__memory_node=1)
        self.assertAlmostEqual(remote[least] - plain, 100, delta=0.001)
        walked = self.run_latency(name='walked', host__root__iommu__enabled=True,
                                  traffic__stride='4KiB')
        self.assertAlmostEqual(walked[least] - plain, 330, delta=0.001)
        switched = self.run_latency(name='switched', topology='switch')
        # Twice the switch, a link and a line.
        self.assertAlmostEqual(switched[least] - plain, 2 * (110 + 80) + (24 + 84) / raw(),
                               delta=0.002)


if __name__ == '__main__':
    unittest.main()
