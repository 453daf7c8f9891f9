"""What a fabric writes, as others read it: its capture by tshark and scapy, its trace by fst2vcd."""

import re
import unittest

from fabric_case import FabricCase, total
import tshark
from tshark import INBOUND, OUTBOUND

INCAST = """
data: carried
link: {rate: 400Gbps, length: 5m}
topology: {kind: star, hosts: 5}
switch: {buffer: 3MiB, ecn: {kmin: 50KB, kmax: 400KB}}
tester: {cnp: {enabled: true, interval: 1us}}
traffic: {pattern: incast, senders: 4, messages: 8, message_size: 64KiB}
"""
PRIORITY = 3
CE = 3


class CaptureCase(FabricCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fields = dict(tshark.FIELDS)
        tshark.FIELDS['ecn'] = 'ip.dsfield.ecn'
        tshark.FIELDS['dscp'] = 'ip.dsfield.dscp'
        tshark.FIELDS['qp'] = 'infiniband.bth.destqp'
        cls.addClassCleanup(lambda: (tshark.FIELDS.clear(), tshark.FIELDS.update(cls.fields)))


class Capture(CaptureCase):
    def capture(self, **settings):
        run = self.run_text(INCAST, outputs=('report', 'pcap'), **settings)
        return run, tshark.packets(run.path('pcap'))

    def test_every_frame_is_dissected_with_a_good_fcs(self):
        for name, settings in (('ipv4', {}), ('ipv6', {'nic__ip': 'ipv6'}),
                               ('vlan', {'traffic__vlan': 7})):
            _, packets = self.capture(name=name, **settings)
            # Wireshark does not know the opcode of a CNP, and says so of nothing else.
            complaints = [p for p in tshark.complaints(packets) if p['opcode'] != 0x81]
            self.assertEqual(complaints, [])
            self.assertEqual({p['fcs'] for p in packets}, {1})

    def test_marks_are_made_at_the_congested_port_and_counted(self):
        run, packets = self.capture()
        marked = [p for p in packets if p['ecn'] == CE and p['interface'] == 'sw0.link4'
                  and p['direction'] == OUTBOUND]
        self.assertGreater(len(marked), 10)
        self.assertEqual(len(marked), run['sw0.port4.ecn_marked'])
        before = [p for p in packets if p['direction'] == INBOUND and p['ecn'] == CE
                  and p['interface'].startswith('sw0')]
        self.assertEqual(before, [])

    def test_pfc_frames_pause_the_priority_and_are_counted(self):
        run, packets = self.capture()
        for port in range(4):
            pfc = [p for p in packets if p['classes'] is not None
                   and p['interface'] == f'sw0.link{port}' and p['direction'] == OUTBOUND]
            self.assertEqual({p['classes'] for p in pfc}, {1 << PRIORITY})
            xoff = [p for p in pfc if p['quanta'] > 0]
            self.assertGreater(len(xoff), 0)
            self.assertEqual(len(xoff), run[f'sw0.port{port}.pfc_xoff_sent'])
            self.assertEqual(len(pfc) - len(xoff), run[f'sw0.port{port}.pfc_xon_sent'])

    def test_cnps_go_back_to_the_senders(self):
        run, packets = self.capture()
        sent = [p for p in packets if p['opcode'] == 0x81 and p['interface'] == 'h4.link0'
                and p['direction'] == OUTBOUND]
        self.assertGreater(len(sent), 0)
        self.assertEqual(len(sent), run['h4.nic0.cnp_sent'])
        self.assertEqual(len(sent), sum(run[f'h{i}.nic0.cnp_received'] for i in range(4)))
        self.assertEqual({p['dscp'] for p in sent}, {48})

    def test_each_flow_s_frames_cross_the_fabric_once_and_in_order(self):
        run, packets = self.capture()
        into = [p for p in packets if p['interface'] == 'h4.link0' and p['direction'] == INBOUND
                and p['psn'] is not None and p['opcode'] != 0x81]
        flows = {}
        for p in into:
            flows.setdefault(p['qp'], []).append(p['psn'])
        self.assertEqual(len(flows), 4)
        for psns in flows.values():
            self.assertEqual(psns, list(range(8 * 16)))
        self.assertEqual(run['total.unfinished_flows'], 0)


class Trace(FabricCase):
    def setUp(self):
        super().setUp()
        self.done = self.run_text(INCAST, outputs=('report', 'trace'))
        self.waves = self.done.waves

    def test_the_buffer_has_the_report_s_peak_and_ends_empty(self):
        level = self.waves['sw0.buffer_bytes']
        self.assertEqual(max(level.values), self.done['sw0.buffer_peak_bytes'])
        self.assertEqual(level.values[-1], 0)

    def test_a_queue_grows_where_flows_meet(self):
        self.assertGreater(max(self.waves['sw0.port4.queue3_bytes'].values), 400_000)
        self.assertLess(max(self.waves['sw0.port0.queue3_bytes'].values), 10_000)

    def test_pauses_are_asked_for_before_they_are_obeyed(self):
        for port in range(4):
            sent = self.waves[f'sw0.port{port}.xoff_sent']
            obeyed = self.waves[f'h{port}.nic0.paused']
            asked = [time for time, value in sent.changes if value == 1 << PRIORITY]
            held = [time for time, value in obeyed.changes if value != 0]
            self.assertGreater(len(asked), 0)
            self.assertEqual(len(asked), len(held))
            for first, then in zip(asked, held):
                self.assertGreater(then, first)
            # The metric counts while the flow has more to send, so not the last pause's end.
            lasted = sum(end - begin for begin, end in intervals(obeyed))
            counted = self.done[f'h{port}.nic0.pause_us'] * 1e6
            self.assertLessEqual(counted, lasted)
            self.assertGreater(counted, 0.9 * lasted)


def intervals(signal):
    """Times in which it is not 0."""
    changes = signal.changes
    return [(begin, end) for (begin, value), (end, _) in zip(changes, changes[1:]) if value != 0]


class Totals(FabricCase):
    def test_totals_are_those_of_the_flows(self):
        run = self.run_text(INCAST)
        rates = [run[f'flow{i}.goodput_gbps'] for i in range(4)]
        jain = sum(rates)**2 / (4 * sum(r * r for r in rates))
        self.assertAlmostEqual(run['total.fairness_jain'], jain, delta=1e-9)
        last = max(run[f'flow{i}.completion_us'] for i in range(4))
        self.assertEqual(run['total.completion_us'], last)
        self.assertAlmostEqual(run['total.goodput_gbps'], 4 * 8 * 65536 * 8e-3 / last, delta=1e-6)

    def test_drops_are_summed_over_switches(self):
        run = self.run_text(INCAST, switch__pfc__enabled=False, switch__buffer='512KiB')
        self.assertGreater(run['total.dropped_frames'], 0)
        self.assertEqual(run['total.dropped_frames'], run['sw0.dropped_frames'])
        self.assertGreater(run['total.unfinished_flows'], 0)
        self.assertEqual(run['total.completion_us'], 0)
        self.assertEqual(total(run, 'pfc_xoff_sent'), 0)

    def test_sums_are_those_of_the_ports(self):
        run = self.run_text(INCAST)
        for ending in ('pfc_xoff_sent', 'ecn_marked', 'cnp_sent', 'pause_us'):
            parts = [value for name, value in run.metrics.items()
                     if name.endswith('.' + ending) and not name.startswith('total.')]
            self.assertGreater(sum(parts), 0, ending)
            self.assertAlmostEqual(run['total.' + ending], sum(parts), delta=1e-6, msg=ending)

    def test_completion_times_are_those_of_the_flows_from_their_starts(self):
        run = self.run_text(INCAST, traffic__stagger='10us')
        took = sorted(run[f'flow{i}.completion_us'] - 10 * i for i in range(4))
        expected = {'min': took[0], 'p50': took[1], 'p99': took[3], 'max': took[3]}
        for which, value in expected.items():
            self.assertAlmostEqual(run[f'total.flow_completion_us_{which}'], value, delta=1e-6)

    def test_without_a_pause_a_mark_or_a_cnp_there_is_no_first(self):
        run = self.run_text(INCAST, traffic__messages=1, traffic__message_size='1KiB')
        for event in ('xoff', 'mark', 'cnp'):
            self.assertEqual(run[f'total.first_{event}_us'], 0)
        self.assertRegex(run.out, r'marks +none\n')


class Firsts(CaptureCase):
    """As a capture has them, and as the summary says."""

    def setUp(self):
        super().setUp()
        self.done = self.run_text(INCAST, outputs=('report', 'pcap'), traffic__start='3us')
        self.packets = [p for p in tshark.packets(self.done.path('pcap'))
                        if p['direction'] == OUTBOUND]

    def assert_first(self, event, packets, label):
        first = min(packets, key=lambda p: p['time'])
        at = self.done[f'total.first_{event}_us']
        # A capture's time is that of a frame's last bit; a moment is when it begins.
        self.assertGreater(first['time'] / 1e3, at)
        self.assertLess(first['time'] / 1e3, at + 0.1)
        port = first['interface'].replace('sw0.link', 'sw0.port').replace('.link', '.nic')
        self.assertRegex(self.done.out, rf'{label} +\d+ +{at:.2f} us  {port}\n')

    def test_the_first_xoff_is_the_first_pfc_frame_of_a_port(self):
        self.assert_first('xoff', [p for p in self.packets if p['classes'] is not None
                                   and p['quanta'] > 0], 'XOFFs')

    def test_the_first_mark_is_the_first_frame_that_leaves_with_ce(self):
        self.assert_first('mark', [p for p in self.packets if p['ecn'] == CE], 'marks')

    def test_the_first_cnp_is_the_first_that_leaves_the_receiver(self):
        self.assert_first('cnp', [p for p in self.packets if p['opcode'] == 0x81
                                  and p['interface'] == 'h4.link0'], 'CNPs')


    def test_a_trace_may_begin_with_it(self):
        for event in ('xoff', 'mark', 'cnp'):
            run = self.run_text(INCAST, '--trace-trigger', event, '--trace-pre', '1us',
                                name=event, outputs=('report', 'trace'), traffic__start='3us')
            begin, unit = re.search(r'the trace begins at (\d+)(ps|ns|us)', run.out).groups()
            begin = int(begin) * {'ps': 1, 'ns': 1000, 'us': 10**6}[unit]
            self.assertEqual(begin, round(run[f'total.first_{event}_us'] * 1e6) - 10**6)


class Summary(FabricCase):
    def test_it_fits_a_terminal_whatever_the_size(self):
        for text in ('topology: {kind: fat_tree, k: 8}\ndata: elided\n'
                     'traffic: {pattern: permutation, messages: 1}\n',
                     'topology: {kind: star, hosts: 65}\ndata: elided\n'
                     'traffic: {pattern: incast, senders: 64, messages: 1}\n'):
            run = self.run_text(text)
            self.assertLessEqual(run.out.count('\n'), 25)
            self.assertLessEqual(max(len(line) for line in run.out.splitlines()), 80)
            self.assertRegex(run.out, r'(\d+) of \1 finished\n')

    def test_it_ends_with_how_to_look(self):
        run = self.run_text(INCAST)
        self.assertRegex(run.out, r'\nto look: --trace FILE.fst .*, then\n +\S+ view FILE\n$')
        run = self.run_text(INCAST, outputs=('trace', 'pcap', 'timeline'))
        for output in ('trace', 'pcap'):
            self.assertRegex(run.out, rf'railyard view {run.path(output)}\n')
        self.assertIn(f"{run.path('timeline')} in https://ui.perfetto.dev\n", run.out)


if __name__ == '__main__':
    unittest.main()
