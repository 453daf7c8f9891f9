"""NICs under congestion control: marks, CNPs and paced queue pairs, of WRITEs and of READ responses.

Two hosts send to h2 through a switch that marks. Of a WRITE the senders are the clients, of a READ the
servers, whose responses are what is marked and paced."""

import unittest

from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether

from rdma_case import OVERHEAD, RdmaCase
from crc_check import icrc, raw_frames
import tshark

NOT_ECT, ECT0, CE = 0, 2, 3
CNP = 0x81
ACKNOWLEDGE, READ_REQUEST = 0x11, 0xC
READ_RESPONSES = (0xD, 0xE, 0xF, 0x10)
FIELDS = {**tshark.RC_FIELDS, 'ecn': 'ip.dsfield.ecn', 'dscp': 'ip.dsfield.dscp',
          'source': 'ip.src', 'destination': 'ip.dst', 'port': 'udp.srcport'}
PAIRS = {'write': '[{client: h0, server: h2}, {client: h1, server: h2}]',
         'read': '[{client: h2, server: h0}, {client: h2, server: h1}]'}
MTU = 4096
CONTROLLED = {'congestion__algorithm': 'dcqcn', 'nic__profile': 'connectx7_400g',
              'nic__path_mtu': str(MTU), 'traffic_class': 96}
MARKING = {'topology': '{kind: star, hosts: 3}', 'switch__ecn__enabled': True,
           'switch__ecn__kmin': '20KB', 'switch__ecn__kmax': '200KB', 'switch__ecn__pmax': 0.5,
           'nic__cnp__interval': '4us'}


class Congestion(RdmaCase):
    def incast(self, test, **settings):
        run = self.run_rdma(**{
            'sizes': (65536,), 'iterations': 30, 'qps': 2, 'test': test, 'pairs': PAIRS[test],
            'congestion__engine': 'model', **CONTROLLED, **MARKING, **settings})
        self.assert_good(run)
        return run

    def at_h2(self, run):
        """What h2 receives, and what it sends."""
        packets = [p for p in tshark.packets(run.path('pcap'), more=FIELDS)
                   if p['interface'] == 'h2.link0']
        return ([p for p in packets if p['direction'] == tshark.INBOUND],
                [p for p in packets if p['direction'] == tshark.OUTBOUND])

    def test_marked_packets_are_answered_by_cnps_to_their_queue_pairs(self):
        for test in ('write', 'read'):
            with self.subTest(test):
                run = self.incast(test, name=test, outputs=('report', 'pcap'))
                received, sent = self.at_h2(run)
                marked = [p for p in received if p['ecn'] == CE]
                cnps = [p for p in sent if p['opcode'] == CNP]
                self.assertGreater(len(cnps), 4)
                self.assertEqual(len(marked), run['sw0.port2.ecn_marked'])
                self.assertEqual(len(marked), run['h2.nic0.ce_received'])
                self.assertEqual(len(cnps), run['h2.nic0.cnp_sent'])
                self.assertEqual(len(cnps), run['h0.nic0.cnp_received'] + run['h1.nic0.cnp_received'])
                responses = {p['opcode'] in READ_RESPONSES for p in marked}
                self.assertEqual(responses, {test == 'read'})
                # Both ends of a connection send from one UDP port; the other end's answers or
                # requests say which queue pair it is.
                back = {READ_REQUEST} if test == 'read' else {ACKNOWLEDGE}
                owners = {p['port']: (p['destination'], p['destination_qp']) for p in sent
                          if p['opcode'] in back}
                self.assertEqual(len(owners), 4)
                wanted = {owners[p['port']] for p in marked}
                self.assertEqual({(p['destination'], p['destination_qp']) for p in cnps}, wanted)
                for cnp in cnps:
                    self.assertEqual((cnp['dscp'], cnp['ecn'], cnp['port']), (48, ECT0, 0))
                    self.assertEqual((cnp['p_key'], cnp['psn'], cnp['bytes']), (0xFFFF, 0, 78))
                # Acknowledgements too are ECT: all of a queue pair's packets are.
                self.assertEqual({p['ecn'] for p in received + sent}, {ECT0, CE})

    def test_cnps_and_marked_packets_have_becn_and_a_right_icrc(self):
        run = self.incast('write', outputs=('report', 'pcap'), data='carried', iterations=10)
        cnps = marked = 0
        for frame in raw_frames(run.path('pcap')):
            # MAC control frames, and what neither is marked nor a CNP.
            if frame[12:14] == b'\x88\x08' or (frame[15] & 3 != CE and frame[42] != CNP):
                continue
            has, expected = icrc(frame)
            self.assertEqual(has, expected)
            if frame[42] == CNP:
                cnps += 1
                bth = Ether(frame[:-4])[BTH]
                self.assertEqual((bth.opcode, bth.becn, bth.fecn, bth.ackreq), (CNP, 1, 0, 0))
            else:
                marked += 1
        self.assertGreater(cnps, 4)
        self.assertGreater(marked, 4)

    def test_senders_are_cut_and_share_the_line(self):
        for test in ('write', 'read'):
            with self.subTest(test):
                run = self.incast(test, name=test, iterations=60)
                flows = [run[f'flow{i}.goodput_gbps'] for i in (0, 1)]
                self.assertLess(max(flows) / min(flows), 1.25)
                for host in ('h0', 'h1'):
                    self.assertLess(run[f'{host}.nic0.qp0.rate_gbps'], 300)
                plain = self.incast(test, name=f'{test}_none', iterations=60,
                                    congestion__algorithm='none')
                self.assertEqual(plain['sw0.port2.ecn_marked'], 0)  # nothing is ECT
                self.assertLess(run['sw0.buffer_peak_bytes'], plain['sw0.buffer_peak_bytes'])

    def test_both_engines_give_the_same_bytes(self):
        for test in ('write', 'read'):
            with self.subTest(test):
                runs = [self.incast(test, name=f'{test}_{engine}', outputs=('report', 'pcap'),
                                    congestion__engine=engine) for engine in ('rtl', 'model')]
                self.assertEqual(runs[0].metrics, runs[1].metrics)
                self.assertTrue(runs[0].bytes('pcap') == runs[1].bytes('pcap'), 'captures differ')
                self.assertGreater(runs[0]['h2.nic0.cnp_sent'], 4)

    def test_carried_and_elided_data_take_the_same_times(self):
        runs = [self.incast('read', name=data, data=data, iterations=10)
                for data in ('carried', 'elided')]
        self.assertEqual(runs[0].metrics, runs[1].metrics)

    def test_a_queue_pair_has_the_parameters_of_its_priority(self):
        for test in ('write', 'read'):
            for priority in (3, 0):
                with self.subTest(test=test, priority=priority):
                    run = self.run_rdma(name=f'{test}{priority}', sizes=(1 << 20,), iterations=10,
                                        test=test, data='elided', **{
                        **CONTROLLED, 'traffic_class': priority << 5,
                        'congestion__engine': 'model', 'congestion__burst': '10ns',
                        'congestion__classes': '[{traffic_class: 3, rp_max_rate: 10000}]'})
                    goodput = run['size1048576.bw_average_gbps']
                    if priority == 3:
                        self.assert_near(goodput, 10 * MTU / (MTU + OVERHEAD), 0.01)
                    else:
                        self.assertGreater(goodput, 300)  # the line, less the run's beginning

    def test_at_the_line_s_rate_control_costs_no_message(self):
        for test, size in (('write', 64), ('write', 4096), ('read', 4096)):
            rates = [self.run_rdma(name=f'{test}{size}{algorithm}', sizes=(size,), iterations=1000,
                                   test=test, data='elided', **{
                **CONTROLLED, 'congestion__algorithm': algorithm})[f'size{size}.msg_rate_mpps']
                for algorithm in ('dcqcn', 'none')]
            self.assert_near(rates[0], rates[1], 0.001, f'{test} {size}')

    def test_packets_are_markable_if_marks_are_answered(self):
        run = self.incast('write', outputs=('report', 'pcap'), congestion__algorithm='none',
                          nic__cnp__enabled=True, iterations=10)
        received, sent = self.at_h2(run)
        self.assertIn(CE, {p['ecn'] for p in received})
        self.assertGreater(run['h2.nic0.cnp_sent'], 0)
        self.assertEqual(run['h2.nic0.cnp_sent'],
                         run['h0.nic0.cnp_received'] + run['h1.nic0.cnp_received'])
        self.assertNotIn(NOT_ECT, {p['ecn'] for p in sent})


if __name__ == '__main__':
    unittest.main()
