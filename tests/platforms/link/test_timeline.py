"""The timeline is a trace viewer's JSON, and its spans are what the report counts."""

import json
import unittest

from link_case import GAP, PFC_BYTES, PREAMBLE, LinkCase

OUTPUTS = ('report', 'timeline')
PS_A_BYTE = 20  # at 400 Gb/s


class Timeline(LinkCase):
    def setUp(self):
        super().setUp()
        self.done = self.run_link(outputs=OUTPUTS)

    def test_it_is_an_array_of_trace_events(self):
        for event in json.loads(self.done.path('timeline').read_text()):
            self.assertIn(event['ph'], 'XM')
            self.assertIsInstance(event['pid'], int)
            self.assertIsInstance(event['args'], dict)
            if event['ph'] == 'X':
                self.assertGreaterEqual(event['ts'], 0)
                self.assertGreater(event['dur'], 0)
                self.assertIsInstance(event['tid'], int)

    def test_the_lanes_are_those_described(self):
        for lane in ('a.link.line', 'b.link.line', 'a.port.pause'):
            self.assertTrue(self.done.spans(lane), lane)
        names = {e['args']['name'] for e in self.done.timeline if e['ph'] == 'M'}
        self.assertEqual(names, {'a.link', 'b.link', 'a.port', 'b.port', 'line', 'pause'})

    def test_a_span_on_the_line_is_a_frame_s_time(self):
        for node in 'ab':
            spans = self.done.spans(f'{node}.link.line')
            self.assertEqual(len(spans), self.done[f'{node}.link.tx_frames'])
            self.assertEqual(sum(s[3]['bytes'] for s in spans), self.done[f'{node}.link.tx_bytes'])
            for begin, end, _, arguments in spans:
                self.assertEqual(end - begin, (arguments['bytes'] + PREAMBLE + GAP) * PS_A_BYTE)
            for before, after in zip(spans, spans[1:]):
                self.assertLessEqual(before[1], after[0])

    def test_the_line_s_spans_sum_to_its_utilisation(self):
        for node in 'ab':
            busy = sum(end - begin for begin, end, *_ in self.done.spans(f'{node}.link.line'))
            share = busy / self.done.end_ps
            self.assertAlmostEqual(share / self.done[f'{node}.link.tx_utilisation'], 1, delta=1e-9)

    def test_frames_are_named(self):
        xoff, xon = self.done['b.port.pfc_xoff_sent'], self.done['b.port.pfc_xon_sent']
        control = self.done.spans('b.link.line')
        self.assertEqual([s[2] for s in control].count('PFC XOFF'), xoff)
        self.assertEqual([s[2] for s in control].count('PFC XON'), xon)
        self.assertEqual({s[3]['bytes'] for s in control}, {PFC_BYTES})
        names = [s[2] for s in self.done.spans('a.link.line')]
        self.assertEqual({name: names.count(name) for name in set(names)},
                         {'UC_RDMA_WRITE_FIRST': 64, 'UC_RDMA_WRITE_MIDDLE': 14 * 64,
                          'UC_RDMA_WRITE_LAST': 64})

    def test_a_pause_that_the_end_cuts_is_shown_to_the_end(self):
        run = self.run_link('--until', '70us', name='cut', outputs=('report', 'timeline'))
        self.assertEqual(run.end_ps, 70_000_000)
        total = sum(end - begin for begin, end, *_ in run.spans('a.port.pause'))
        self.assertAlmostEqual(total, run['a.port.pause_us'] * 1e6, delta=1e-3)

    def test_paused_spans_sum_to_pause_us(self):
        spans = self.done.spans('a.port.pause')
        self.assertEqual(len(spans), self.done['b.port.pfc_xon_sent'])
        self.assertAlmostEqual(sum(end - begin for begin, end, *_ in spans),
                               self.done['a.port.pause_us'] * 1e6, delta=1e-3)
        self.assertEqual({(name, tuple(arguments.items())) for *_, name, arguments in spans},
                         {('paused', (('priorities', 1 << 3),))})


if __name__ == '__main__':
    unittest.main()
