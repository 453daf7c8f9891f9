"""Wireshark and scapy agree with the capture, and the capture with the report."""

import struct
import unittest
import zlib

from link_case import HEADERS, RETH, LinkCase
from icrc import ipv6_icrc
import tshark
from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapNgReader
from tshark import INBOUND, OUTBOUND

OUTPUTS = ('report', 'pcap')
UC_WRITE_FIRST, UC_WRITE_MIDDLE, UC_WRITE_LAST = 0x26, 0x27, 0x28
PRIORITY = 3
IPV6 = {'nodes__a__ip': 'fd00::a', 'nodes__b__ip': 'fd00::b'}
FEW = {'traffic__messages': 8}


def raw_frames(path):
    reader = RawPcapNgReader(str(path))
    try:
        return [data for data, _ in reader]
    finally:
        reader.close()


class CaptureCase(LinkCase):
    def capture(self, **settings):
        run = self.run_link(outputs=OUTPUTS, **settings)
        return run, tshark.packets(run.path('pcap'))

    def at(self, packets, interface, direction):
        return [p for p in packets
                if (p['interface'], p['direction']) == (interface, direction)]

    def assert_decodes(self, packets):
        self.assertTrue(packets)
        self.assertEqual(tshark.complaints(packets), [])
        for p in packets:
            roce = ':infiniband' in p['protocols']
            self.assertTrue(roce or p['protocols'].endswith(':macc'), p)


class Dissection(CaptureCase):
    def test_every_packet_decodes_with_a_good_fcs(self):
        for name, settings in (('ipv4', {}), ('ipv6', IPV6), ('vlan', {'traffic__vlan': 100}),
                               ('mtu', {'traffic__path_mtu': '256'}),
                               ('odd', {'traffic__message_size': '9999B'}),
                               ('byte', {'traffic__message_size': '1B'})):
            for data in ('carried', 'elided'):
                _, packets = self.capture(name=f'{name}_{data}', data=data, **settings, **FEW)
                self.assert_decodes(packets)
                for p in packets:
                    whole = data == 'carried' or p['classes'] is not None
                    self.assertEqual(p['fcs'], 1 if whole else None)

    def test_interfaces_directions_and_counts_are_the_report_s(self):
        run, packets = self.capture()
        self.assertEqual({p['interface'] for p in packets}, {'a.link', 'b.link'})
        for node in 'ab':
            for direction, counter in ((OUTBOUND, 'tx'), (INBOUND, 'rx')):
                seen = self.at(packets, f'{node}.link', direction)
                self.assertEqual(len(seen), run[f'{node}.link.{counter}_frames'])
                self.assertEqual(sum(p['bytes'] for p in seen),
                                 run[f'{node}.link.{counter}_bytes'])

    def test_packets_are_in_order_of_time_and_cross_in_150_ns(self):
        _, packets = self.capture()
        times = [p['time'] for p in packets]
        self.assertEqual(times, sorted(times))
        sent, received = (self.at(packets, *where)
                          for where in (('a.link', OUTBOUND), ('b.link', INBOUND)))
        for out, into in zip(sent, received):
            self.assertEqual(into['time'] - out['time'], 150)  # 30 m of 5 ns

    def test_opcodes_and_psns_are_those_of_the_flow(self):
        run, packets = self.capture()
        sent = self.at(packets, 'a.link', OUTBOUND)
        self.assertEqual([p['psn'] for p in sent], list(range(run['a.port.sent_packets'])))
        message = [UC_WRITE_FIRST] + 14 * [UC_WRITE_MIDDLE] + [UC_WRITE_LAST]
        self.assertEqual([p['opcode'] for p in sent], 64 * message)
        self.assertEqual({p['bytes'] for p in sent}, {4096 + HEADERS, 4096 + HEADERS + RETH})

    def test_pfc_frames_name_the_class_and_its_quanta(self):
        run, packets = self.capture(nodes__b__pfc__quanta=500)
        control = self.at(packets, 'b.link', OUTBOUND)
        self.assertEqual({p['classes'] for p in control}, {1 << PRIORITY})
        quanta = [p['quanta'] for p in control]
        self.assertEqual(quanta.count(500), run['b.port.pfc_xoff_sent'])
        self.assertEqual(quanta.count(0), run['b.port.pfc_xon_sent'])
        self.assertEqual(len(quanta), quanta.count(500) + quanta.count(0))

    def test_a_vlan_carries_the_priority(self):
        _, packets = self.capture(traffic__vlan=100, traffic__priority=5, **FEW)
        sent = self.at(packets, 'a.link', OUTBOUND)
        self.assertEqual({(p['vid'], p['priority']) for p in sent}, {(100, 5)})
        self.assertEqual({p['bytes'] for p in sent},
                         {4096 + HEADERS + 4, 4096 + HEADERS + 4 + RETH})

    def test_elided_data_is_cut_after_the_headers(self):
        run, packets = self.capture(data='elided')
        sent = self.at(packets, 'a.link', OUTBOUND)
        for p in sent:
            first = p['opcode'] == UC_WRITE_FIRST
            headers = HEADERS + (RETH if first else 0)
            self.assertEqual(p['bytes'], 4096 + headers)
            self.assertEqual(p['captured'], headers - 8)  # without ICRC and FCS
        self.assertEqual(sum(p['bytes'] for p in sent), run['a.link.tx_bytes'])

    def test_the_frames_with_a_bad_fcs_are_those_counted(self):
        run, packets = self.capture(link__bit_error_rate=1e-6)
        self.assertGreater(run['b.link.rx_corrupted'], 5)
        for node in 'ab':
            bad = [p for p in packets if p['interface'] == f'{node}.link' and p['fcs'] == 0]
            self.assertEqual(len(bad), run[f'{node}.link.rx_corrupted'])
            self.assertEqual({p['direction'] for p in bad} - {INBOUND}, set())
            self.assertEqual([p for p in bad if not p['crc_error']], [])

    def test_a_frame_that_an_outage_cut_is_not_in_it(self):
        run, packets = self.capture(link__outages='[{at: 20us, lasts: 1us}]')
        self.assertEqual(len(self.at(packets, 'b.link', INBOUND)), run['b.link.rx_frames'])
        self.assertLess(run['b.link.rx_frames'], run['a.link.tx_frames'])
        self.assert_decodes(packets)
        self.assertEqual([p for p in packets if 20_001 <= p['time'] < 21_000], [])


class Icrc(CaptureCase):
    def icrcs(self, settings, judge):
        run = self.run_link(outputs=OUTPUTS, data='carried', **settings, **FEW)
        judged = 0
        for frame in raw_frames(run.path('pcap')):
            self.assertEqual(struct.pack('<I', zlib.crc32(frame[:-4])), frame[-4:])  # FCS
            ip = 18 if frame[12:14] == b'\x81\x00' else 14
            if frame[ip - 2:ip] == b'\x88\x08':  # MAC control
                continue
            self.assertEqual(frame[-8:-4].hex(), judge(frame, ip).hex())
            judged += 1
        self.assertEqual(judged, 2 * run['a.port.sent_packets'])

    def test_scapy_agrees_over_ipv4(self):
        def judge(frame, _):
            bth = Ether(frame[:-4])[BTH]
            return bth.compute_icrc(bytes(bth)[:-4])
        self.icrcs({}, judge)
        self.icrcs({'traffic__vlan': 100, 'traffic__message_size': '9999B'}, judge)

    def test_zlib_agrees_over_ipv6(self):
        self.icrcs(IPV6, lambda frame, ip: ipv6_icrc(frame[ip:-8]))


class Payload(CaptureCase):
    def test_carried_bytes_differ_from_packet_to_packet(self):
        run = self.run_link(outputs=OUTPUTS, **FEW)
        frames = [f for f in raw_frames(run.path('pcap')) if len(f) == 4096 + HEADERS]
        payloads = {frame[-8 - 4096:-8] for frame in frames}
        self.assertEqual(len(payloads), 8 * 15)  # each twice, at either end
        self.assertEqual(len(frames), 2 * len(payloads))


if __name__ == '__main__':
    unittest.main()
