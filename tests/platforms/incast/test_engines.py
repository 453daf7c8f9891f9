"""The RTL and its twin give the same incast, to the byte."""

import json
import unittest

from incast_case import IncastCase


class Engines(IncastCase):
    def assert_alike(self, config):
        rtl, model = (self.variant(config, name=engine, outputs=('report', 'pcap'),
                                   congestion__engine=engine) for engine in ('rtl', 'model'))
        self.assertGreater(rtl['total.goodput_gbps'], 0)
        self.assertTrue(rtl.path('pcap').read_bytes() == model.path('pcap').read_bytes())
        for run in (rtl, model):
            del run.report['host']
            del run.report['config']['congestion']['engine']
        self.assertEqual(json.dumps(rtl.report), json.dumps(model.report))

    def test_of_the_incast(self):
        self.assert_alike('incast')

    def test_with_queues_full_and_cnps_among_the_data(self):
        self.assert_alike('cnp_on_data_priority')

    def test_with_cnps_that_wait_for_their_delay(self):
        self.assert_alike('np_delay')


if __name__ == '__main__':
    unittest.main()
