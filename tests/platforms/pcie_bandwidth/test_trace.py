"""Credits in a trace: what a starved transmitter looks like, for want of credits and of tags."""

import unittest

from pcie_case import PcieCase
from platform_run import source

HEADERS, DATA = 32, 256  # posted credits of few_credits.yaml


class Trace(PcieCase):
    def traced(self, name, size):
        return self.run_pcie('--config', source(f'platforms/pcie_bandwidth/{name}.yaml'),
                             outputs=('report', 'trace'), traffic__sizes=f'[{size}B]',
                             traffic__transfers=200, name=name)

    def window(self, run):
        """Some microseconds in which writes or reads are in full flow, in picoseconds."""
        end = run.waves.end - 4_000_000
        return end - 2_000_000, end

    def values(self, run, name):
        begin, end = self.window(run)
        signal = run.waves[name]
        return [signal.at(begin)] + [v for t, v in signal.changes if begin < t <= end]

    def test_credits_fall_in_a_burst_and_come_back_by_an_update(self):
        run = self.traced('few_credits', 256)
        data = self.values(run, 'dev0.port.credits.pd')
        self.assertEqual(min(data), 0)
        self.assertGreaterEqual(max(data), DATA / 4)
        self.assertLessEqual(max(data), DATA)
        falls = [a - b for a, b in zip(data, data[1:]) if b < a]
        self.assertEqual(set(falls), {16})  # a payload of 256 B
        # The queue always has something to send, and no read is under way.
        self.assertGreater(min(self.values(run, 'dev0.port.queue.posted')), 0)
        self.assertEqual(set(self.values(run, 'dev0.dma.reads_in_flight')), {0})

    def test_the_tooth_is_a_loop_of_credits(self):
        run = self.traced('few_credits', 256)
        begin, end = self.window(run)
        data = run.waves['dev0.port.credits.pd']
        # Of an empty pool the longest rests, each once a loop.
        empty = [t for (t, v), (after, _) in zip(data.changes, data.changes[1:])
                 if v == 0 and after - t > 100_000 and begin < t < end]
        loops = {round((b - a) / 1000) for a, b in zip(empty, empty[1:])}
        # A line time of 4.4 ns, link 80, root complex 130, memory 90, update's delay 42.7, link 80.
        self.assertEqual(loops, {427})

    def test_all_credits_are_back_at_the_end(self):
        run = self.traced('few_credits', 256)
        self.assertEqual(run.waves['dev0.port.credits.ph'].values[-1], HEADERS)
        self.assertEqual(run.waves['dev0.port.credits.pd'].values[-1], DATA)
        self.assertEqual(run.waves['dev0.port.replay_bytes'].values[-1], 0)
        for name in ('posted', 'non_posted', 'completion'):
            self.assertEqual(run.waves[f'dev0.port.queue.{name}'].values[-1], 0)

    def test_starved_of_tags_nothing_is_queued_and_credits_are_left(self):
        run = self.traced('few_tags', 512)
        self.assertEqual(set(self.values(run, 'dev0.dma.reads_in_flight')), {32})
        self.assertEqual(max(self.values(run, 'dev0.port.queue.non_posted')), 0)
        self.assertGreater(min(self.values(run, 'dev0.port.credits.nph')), 512 - 64)


if __name__ == '__main__':
    unittest.main()
