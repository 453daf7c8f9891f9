"""Wireshark, scapy and zlib agree with captures of the platform, and these with the report."""

import unittest

from rdma_case import RdmaCase
from crc_check import raw_frames, wrong_crcs
import tshark

OUTPUTS = ('report', 'pcap')
REQUESTS = {'write': {6, 7, 8, 0xA}, 'read': {0xC}, 'send': {0, 1, 2, 4}}
RESPONSES = {'write': {0x11}, 'read': {0xD, 0xE, 0xF, 0x10}, 'send': {0x11}}


class Capture(RdmaCase):
    def capture(self, **settings):
        run = self.run_rdma(outputs=OUTPUTS, sizes=(1, 1025, 10000), iterations=20,
                            nic__path_mtu='1024', topology='{kind: star, hosts: 2}', **settings)
        packets = tshark.packets(run.path('pcap'), more=tshark.RC_FIELDS)
        self.assertTrue(packets)
        self.assertEqual(tshark.complaints(packets), [])
        return run, packets

    def sent(self, packets, interface):
        return [p for p in packets if p['interface'] == interface
                and p['direction'] == tshark.OUTBOUND]

    def assert_as_reported(self, run, packets):
        for host in 'h0', 'h1':
            sent = self.sent(packets, f'{host}.link0')
            self.assertEqual(len(sent), run[f'{host}.link0.tx_frames'])
            self.assertEqual(sum(p['bytes'] for p in sent), run[f'{host}.link0.tx_bytes'])
            self.assertEqual(len(sent), run[f'{host}.nic0.sent_packets'])

    def test_every_mode_decodes_with_good_crcs_and_its_opcodes(self):
        for test in ('write', 'read', 'send'):
            with self.subTest(test):
                run, packets = self.capture(name=test, test=test, data='carried')
                self.assert_as_reported(run, packets)
                self.assertEqual({p['fcs'] for p in packets}, {1})
                self.assertEqual(wrong_crcs(raw_frames(run.path('pcap'))), [])
                requests = self.sent(packets, 'h0.link0')
                self.assertEqual({p['opcode'] for p in requests}, REQUESTS[test])
                answers = {p['opcode'] for p in self.sent(packets, 'h1.link0')}
                self.assertEqual(answers, RESPONSES[test])

    def test_psns_of_requests_are_consecutive(self):
        _, packets = self.capture(name='psns')
        by_qp = {}
        for p in self.sent(packets, 'h0.link0'):
            by_qp.setdefault(p['destination_qp'], []).append(p['psn'])
        # A queue pair a size.
        self.assertEqual(sorted(map(len, by_qp.values())), [20, 2 * 20, 10 * 20])
        for psns in by_qp.values():
            self.assertEqual(psns, list(range(psns[0], psns[0] + len(psns))))

    def test_elided_data_is_cut_after_the_headers(self):
        for test in ('write', 'read', 'send'):
            with self.subTest(test):
                run, packets = self.capture(name=f'{test}_elided', test=test, data='elided')
                self.assert_as_reported(run, packets)
                cut = [p for p in packets if p['captured'] != p['bytes']]
                sender = 'h1' if test == 'read' else 'h0'
                # Each is seen at four interfaces: two hosts', and two of the switch.
                self.assertEqual({p['interface'] for p in cut},
                                 {'h0.link0', 'h1.link0', 'sw0.link0', 'sw0.link1'})
                self.assertEqual(len(self.sent(cut, f'{sender}.link0')), (1 + 2 + 10) * 20)
                for p in cut:
                    self.assertLessEqual(p['captured'], 14 + 20 + 8 + 12 + 16)


if __name__ == '__main__':
    unittest.main()
