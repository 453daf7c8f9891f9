"""DCQCN's loop closed through NICs, PCIe and a switch, beside a plain simulation of the rules of Zhu
et al. (SIGCOMM 2015): platforms/incast/dcqcn_nics.yaml says what is made alike.

test_dcqcn_nic_cells.py short | long"""

import sys
import unittest

from dcqcn_reference import FEEDBACK_NS, TO_LAST_BIT, Cell, on_lines_ns
import tshark

# Of connectx7_400g: the marked packet passes receive, the CNP packetiser, transmit and receive.
STAGES_NS = 70 + 40 + 60 + 70
CE, CNP_OPCODE = 3, 0x81


class NicCell(Cell):
    config = 'dcqcn_nics.yaml'
    delay = 'nic.cnp.delay'
    received = 'responder.payload_bytes'
    longest = 1200

    def cnp_delay_ns(self, gbps):
        """dcqcn_np takes 3.5 cycles of 1 ns on average, dcqcn_rp 13.5."""
        return round(FEEDBACK_NS - on_lines_ns(gbps) - 17 - STAGES_NS)


class Short(NicCell):
    def first_feedback_ns(self, gbps, senders):
        """From the first marked packet's leaving the queue to its sender's cut."""
        run = self.cell(gbps, senders, '--trace-filter', 'flow*.stage', name=f'loop{gbps}',
                        outputs=('report', 'trace', 'pcap'), until=0.6, warm_up=0.1)
        seen = tshark.packets(run.path('pcap'), more={'ecn': 'ip.dsfield.ecn',
                                                      'source': 'ip.src', 'to': 'ip.dst'})
        marked = next(p for p in seen if p['interface'] == f'sw0.link{senders}' and
                      p['ecn'] == CE)
        answer = next(p for p in seen if p['opcode'] == CNP_OPCODE)
        self.assertEqual((answer['to'], answer['interface']),
                         (marked['source'], f'h{senders}.link0'))
        sender = int(marked['source'].split('.')[3]) - 1
        cut = next(at / 1000 for at, stage in run.waves[f'flow{sender}.stage'].changes if stage)
        return cut - (marked['time'] - TO_LAST_BIT * 8 / gbps)

    def test_a_cut_comes_4_us_after_its_mark(self):
        for gbps, senders in ((40, 2), (400, 8)):
            self.assertAlmostEqual(self.first_feedback_ns(gbps, senders), FEEDBACK_NS, delta=8)

    def test_40g_of_2(self):
        self.assert_like_reference(40, 2, until=200, warm_up=100)

    def test_40g_of_8(self):
        self.assert_like_reference(40, 8, until=200, warm_up=100)


class Long(NicCell):
    def test_40g(self):
        self.assert_like_reference(40, 2)
        self.assert_like_reference(40, 8)

    def test_queue_pairs_that_share_a_nic(self):
        self.assert_like_reference(40, 8, hosts=2, until=200, warm_up=100)

    def test_pair_of_50_gbps_a_flow(self):
        few = self.assert_like_reference(100, 2)
        self.assert_pair(few, self.assert_like_reference(400, 8, until=200, warm_up=100))

    def test_pair_of_12_gbps_a_flow(self):
        few = self.assert_like_reference(100, 8)
        self.assert_pair(few, self.assert_like_reference(400, 32, until=200, warm_up=100))

    def test_the_rtl_gives_the_same_run(self):
        model, rtl = (self.cell(40, 8, name=engine, until=50, warm_up=25,
                                **{'congestion.engine': engine}) for engine in ('model', 'rtl'))
        self.assertEqual(model.metrics, rtl.metrics)


if __name__ == '__main__':
    suite = {'short': Short, 'long': Long}[sys.argv.pop(1)]
    unittest.main(defaultTest=suite.__name__)
