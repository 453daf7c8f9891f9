"""The incasts of test_rows.py and test_dcqcn_rows.py from hosts whose software posts an RDMA WRITE a
packet to NICs with modelled PCIe, in place of testers: beside the same rows of HPCC's ns-3 simulator.

test_nic_rows.py short | long"""

import sys
import unittest

from peers_case import SLOWER, pauses
from test_dcqcn_rows import ACK_US, DcqcnCase, corrected

# Who sends never lacks a work request, nor sends again; without DCQCN packets are to be marked too.
NICS = {'source': 'nic', 'nic.profile': 'connectx7_400g', 'nic.cnp.enabled': True,
        'requests.depth': 2048, 'requests.timeout': 0}


class NicCase(DcqcnCase):
    longest = 600

    def run_peers(self, config, *arguments, senders=8, **settings):
        run = super().run_peers(config, *arguments, senders=senders, **{**NICS, **settings})
        for i in run.senders:
            self.assertEqual(run[f'h{i}.nic0.requester.packets_again'], 0)
        return run

    def assert_queue(self, run, packets, part):
        self.assertLessEqual(abs(run.queue_packets / packets - 1), part)

    def assert_times(self, run, simulator_us, part):
        for i in run.senders:
            self.assert_near(run[f'flow{i}.completion_us'], simulator_us * SLOWER - ACK_US, part)


class Short(NicCase):
    def test_two_senders(self):
        run = self.run_peers('2to1', senders=2)
        self.assert_lossless(run)
        self.assert_times(run, 170, 0.02)
        self.assert_queue(run, 1000, 0.01)

    def test_dcqcn_and_few_packets(self):
        means = self.means('dcqcn_8to1_1mb', 3)
        self.assert_row(means, corrected(1068, 1095, 1111, 2_152_592), 0.15)
        self.assertEqual(means.pauses, 0)


class Long(NicCase):
    def test_no_congestion_control(self):
        run = self.run_peers('8to1')
        self.assert_lossless(run)
        self.assert_times(run, 6644, 0.01)
        self.assert_queue(run, 16_040, 0.01)
        self.assert_near(run.marks, 78_394, 0.01)
        self.assert_near(pauses(run), 1938, 0.15)

    def test_no_congestion_control_and_a_small_buffer(self):
        run = self.run_peers('8to1_2mib')
        self.assert_lossless(run)
        self.assert_times(run, 6644, 0.01)
        self.assert_queue(run, 1031, 0.01)
        self.assert_near(run.marks, 8553, 0.02)
        self.assert_near(pauses(run), 1803, 0.15)

    def test_dcqcn(self):
        means = self.means('dcqcn_8to1', 5)
        self.assert_row(means, corrected(6809, 7599, 8555, 2_152_592), 0.15)
        self.assert_near(means.marks, 3401, 0.15)
        self.assertEqual(means.pauses, 0)
        self.assert_near(means.jain, 0.9949, 0.01)

    def test_dcqcn_and_a_small_buffer(self):
        means = self.means('dcqcn_8to1_2mib', 5)
        self.assert_row(means, corrected(6843, 7312, 7516, 1_080_488), 0.15)
        self.assertLessEqual(4 * means.pauses, 1803)

    def test_slow_timers(self):
        means = self.means('paper_8to1', 5)
        self.assert_row(means, corrected(5843, 6576, 7451, 8_473_080), 0.15)
        self.assertEqual(means.pauses, 0)


if __name__ == '__main__':
    suite = {'short': Short, 'long': Long}[sys.argv.pop(1)]
    unittest.main(defaultTest=suite.__name__)
