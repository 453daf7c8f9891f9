"""The trace says what the report says, and its window is the one asked for."""

import unittest

from link_case import LinkCase
import vcd

TIMES = ('report', 'trace')
PRIORITY_3 = 1 << 3  # of signals with a bit a priority


class Values(LinkCase):
    def setUp(self):
        super().setUp()
        # Both send, b drains slowly; and the run is cut while a is paused and a buffer holds bytes.
        self.done = self.run_link('--until', '70us', outputs=TIMES, nodes__b__sends=True)
        self.waves = self.done.waves

    def test_it_spans_the_run(self):
        self.assertEqual((self.waves.begin, self.waves.end), (0, self.done.end_ps))

    def test_psn_counts_the_packets_sent(self):
        for node in 'ab':
            psn = self.waves[f'{node}.port.psn'].values
            self.assertEqual(psn, list(range(self.done[f'{node}.port.sent_packets'])))

    def test_the_receive_buffer_has_the_report_s_peak_and_mean(self):
        level = self.waves['b.port.receive_buffer_bytes']
        self.assertGreater(max(level.values), 65536)
        self.assertEqual(max(level.values), self.done['b.port.receive_buffer_bytes_peak'])
        mean = level.area(0, self.done.end_ps) / self.done.end_ps
        self.assertAlmostEqual(mean / self.done['b.port.receive_buffer_bytes_mean'], 1, delta=1e-9)

    def test_paused_lasts_as_long_as_pause_us(self):
        paused = self.waves['a.port.paused']
        self.assertEqual(set(paused.values), {0, PRIORITY_3})
        self.assertGreater(paused.values.count(PRIORITY_3), 3)
        self.assertAlmostEqual(paused.area(0, self.done.end_ps),
                               PRIORITY_3 * self.done['a.port.pause_us'] * 1e6, delta=1e-3)
        self.assertEqual(self.waves['b.port.paused'].values, [0])

    def test_xoff_rises_once_an_xoff_that_is_no_refresh(self):
        xoff = self.waves['b.port.xoff_sent']
        # Pauses end long before half of 65535 quanta: no refresh.
        self.assertEqual(len(xoff.rising()), self.done['b.port.pfc_xoff_sent'])
        self.assertEqual(xoff.values.count(0) - 1, self.done['b.port.pfc_xon_sent'])

    def test_the_line_is_busy_for_its_utilisation(self):
        cut = self.run_link('--until', '50ns', name='cut', outputs=TIMES, nodes__b__sends=True)
        self.assertEqual(cut['a.link.tx_utilisation'], 1)  # in the middle of the first frame
        for run in (cut, self.done):
            for node in 'ab':
                busy = run.waves[f'{node}.link.tx_busy'].area(0, run.end_ps)
                share = busy / run.end_ps / run[f'{node}.link.tx_utilisation']
                self.assertAlmostEqual(share, 1, delta=1e-9)

    def test_the_send_state_reads_by_name_and_agrees_with_the_other_signals(self):
        state = self.waves['a.port.send_state']
        self.assertEqual(list(state.enum.values()),
                         ['IDLE', 'SENDING', 'PAUSED', 'LINK_DOWN', 'STALLED'])
        busy, paused = self.waves['a.link.tx_busy'], self.waves['a.port.paused']
        names = [state.enum[value] for value in state.values]
        self.assertEqual(set(names), {'SENDING', 'PAUSED'})
        for (time, _), name in zip(state.changes, names):
            self.assertEqual(busy.at(time), int(name == 'SENDING'))
            self.assertEqual(paused.at(time), PRIORITY_3 * (name == 'PAUSED'))

    def test_a_refresh_is_no_edge(self):
        run = self.run_link(name='refreshed', outputs=TIMES, nodes__b__pfc__quanta=100)
        edges = len(run.waves['b.port.xoff_sent'].rising())
        self.assertGreater(run['b.port.pfc_xoff_sent'], edges)
        self.assertEqual(run['b.port.pfc_xon_sent'], edges)


class WarmUp(LinkCase):
    def test_metrics_are_those_of_the_time_after_it(self):
        run = self.run_link(outputs=TIMES, warm_up='50us', nodes__b__sends=True)
        waves, since, end = run.waves, 50_000_000, run.end_ps
        psn, paused = waves['a.port.psn'], waves['a.port.paused']
        level = waves['b.port.receive_buffer_bytes']
        self.assertEqual(paused.at(since), PRIORITY_3)  # the hard case
        self.assertEqual(run['a.port.sent_packets'], sum(t >= since for t, _ in psn.changes))
        self.assertAlmostEqual(run['b.port.receive_buffer_bytes_mean'],
                               level.area(since, end) / (end - since), delta=1e-4)
        self.assertAlmostEqual(PRIORITY_3 * run['a.port.pause_us'] * 1e6,
                               paused.area(since, end), delta=1e-3)
        for node in 'ab':
            busy = waves[f'{node}.link.tx_busy'].area(since, end)
            self.assertAlmostEqual(run[f'{node}.link.tx_utilisation'], busy / (end - since),
                                   delta=1e-9)


class States(LinkCase):
    def test_stalls_and_outages_have_theirs(self):
        run = self.run_link(outputs=TIMES, link__outages='[{at: 20us, lasts: 1us}]',
                            nodes__a__send_stall__probability=0.05)
        state = run.waves['a.port.send_state']
        self.assertEqual({state.enum[v] for v in state.values},
                         {'IDLE', 'SENDING', 'PAUSED', 'LINK_DOWN', 'STALLED'})


class Window(LinkCase):
    def setUp(self):
        super().setUp()
        self.whole = self.run_link(outputs=TIMES, name='whole').waves

    def assert_cut_of_whole(self, waves, begin, end):
        """Has all signals with all their values in the window, and no others."""
        self.assertEqual((waves.begin, waves.end), (begin, end))
        self.assertEqual(list(waves.signals), list(self.whole.signals))
        for name, signal in waves.signals.items():
            expected = [(begin, self.whole[name].at(begin))]
            expected += [c for c in self.whole[name].changes if begin < c[0] <= end]
            self.assertEqual(signal.changes, expected, name)

    def test_from_and_to(self):
        run = self.run_link('--trace-from', '30us', '--trace-to', '50us', outputs=TIMES)
        self.assert_cut_of_whole(run.waves, 30_000_000, 50_000_000)

    def test_around_the_first_xoff(self):
        run = self.run_link('--trace-trigger', 'xoff', '--trace-pre', '2us', '--trace-post', '3us',
                            outputs=TIMES)
        trigger = self.whole['b.port.xoff_sent'].rising()[0]
        self.assert_cut_of_whole(run.waves, trigger - 2_000_000, trigger + 3_000_000)
        self.assertIn('the trace begins at', run.out)

    def test_around_a_metric_above_a_value(self):
        run = self.run_link('--trace-trigger', 'a.port.sent_packets>500', '--trace-pre', '1us',
                            '--trace-post', '0ps', outputs=TIMES)
        # PSNs begin at 0: that of the 501st packet is 500.
        trigger = next(t for t, psn in self.whole['a.port.psn'].changes if psn == 500)
        self.assert_cut_of_whole(run.waves, trigger - 1_000_000, trigger)

    def test_around_a_level_above_a_value(self):
        run = self.run_link('--trace-trigger', 'b.port.receive_buffer_bytes_peak>40000',
                            '--trace-pre', '1us', '--trace-post', '1us', outputs=TIMES)
        level = self.whole['b.port.receive_buffer_bytes']
        trigger = next(t for t, value in level.changes if value > 40000)
        self.assert_cut_of_whole(run.waves, trigger - 1_000_000, trigger + 1_000_000)

    def test_a_trigger_that_never_comes_is_said(self):
        run = self.run_link('--trace-trigger', 'b.port.drop', outputs=TIMES)
        self.assertIn("the trace's trigger never came", run.out)
        self.assertEqual([s.changes for s in run.waves.signals.values()],
                         [[]] * len(self.whole.signals))

    def test_a_filter_takes_what_it_names(self):
        run = self.run_link('--trace-filter', 'a.link,*.psn', outputs=TIMES)
        self.assertEqual(list(run.waves.signals),
                         ['a.link.tx_busy', 'a.link.up', 'a.port.psn', 'b.port.psn'])
        for name, signal in run.waves.signals.items():
            self.assertEqual(signal.changes, self.whole[name].changes)


class Vcd(LinkCase):
    def test_it_is_the_fst_converted(self):
        fst = self.run_link(outputs=TIMES)
        path = self.folder / 'direct.vcd'
        self.run_link('--trace', path, name='direct')
        direct = vcd.parse(path.read_text())
        self.assertEqual((direct.begin, direct.end), (fst.waves.begin, fst.waves.end))
        self.assertEqual({name: s.changes for name, s in direct.signals.items()},
                         {name: s.changes for name, s in fst.waves.signals.items()})
        self.assertGreater(sum(len(s.changes) for s in direct.signals.values()), 3000)
        self.assertFalse((self.folder / 'direct.vcd.fst').exists())


if __name__ == '__main__':
    unittest.main()
