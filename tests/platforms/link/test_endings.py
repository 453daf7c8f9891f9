"""However a run is ended from outside, what it wrote can be read."""

import json
import signal
import unittest

import jsonschema
from link_case import LinkCase
import tshark
import vcd
from platform_run import ALL, source

TRACE_BLOCK = 1 << 16  # changes that a kill may cost a trace
FOREVER = {'data': 'elided', 'traffic__messages': 10**9, 'nodes__b__sends': True}


class Endings(LinkCase):
    def start(self):
        return self.start_platform('--no-expect', outputs=ALL, **FOREVER)

    def written(self, run, output):
        path = run.path(output)
        return path.stat().st_size if path.exists() else 0

    def reported_ns(self, run):
        path = run.path('report')
        return json.loads(path.read_text())['simulated_ns'] if path.exists() else 0

    def assert_valid(self, report):
        schema = json.loads(source('platforms/common/report.schema.json').read_text())
        jsonschema.validate(report, schema, jsonschema.Draft202012Validator)

    def assert_interrupted_by(self, number):
        process, run = self.start()
        # The capture grows in big pieces, and from events alone.
        self.wait_until(lambda: self.written(run, 'pcap') > 1 << 17, process)
        process.send_signal(number)
        self.end_of(process, run)

        self.assertEqual(run.code, 130)
        self.assert_valid(run.report)
        self.assertEqual((run.report['end'], run.report['complete']), ('interrupted', False))
        self.assertIn('interrupted', run.out)
        end = run.end_ps
        self.assertGreater(end, 0)
        self.assertEqual(run.waves.end, end)
        self.assertEqual(len(run.waves['a.port.psn'].changes), run['a.port.sent_packets'])
        self.assertEqual(len(run.spans('a.link.line')), run['a.link.tx_frames'])
        packets = tshark.packets(run.path('pcap'), '-Y', 'frame.interface_name == "b.link"')
        received = [p for p in packets if p['direction'] == tshark.INBOUND]
        self.assertEqual(len(received), run['b.link.rx_frames'])
        self.assertEqual(tshark.complaints(packets), [])

    def test_an_interrupt_completes_every_file_and_exits_130(self):
        self.assert_interrupted_by(signal.SIGINT)

    def test_a_termination_is_an_interrupt(self):
        self.assert_interrupted_by(signal.SIGTERM)

    def test_a_killed_run_leaves_what_it_flushed(self):
        process, run = self.start()
        self.wait_until(lambda: self.reported_ns(run) > 0, process)
        process.kill()
        self.end_of(process, run)

        self.assertEqual(run.code, -signal.SIGKILL)
        self.assert_valid(run.report)
        self.assertEqual((run.report['end'], run.report['complete']), ('running', False))
        sent = run['a.port.sent_packets']  # as of the flush; the files may go on
        self.assertGreater(sent, 1000)

        self.assertTrue((self.folder / 'run.fst.hier').exists())
        psn = vcd.read_fst(run.path('trace'))['a.port.psn'].values
        self.assertGreater(len(psn), 1000)
        self.assertGreaterEqual(len(psn), sent - TRACE_BLOCK)
        self.assertEqual(psn[:sent], [n % (1 << 24) for n in range(len(psn[:sent]))])

        frames = run['a.link.tx_frames'] + run['b.link.tx_frames']
        frames += run['a.link.rx_frames'] + run['b.link.rx_frames']
        self.assertGreaterEqual(tshark.count(run.path('pcap')), frames - 4)  # some are on the way
        first = tshark.packets(run.path('pcap'), '-c', '2000')
        self.assertEqual(len(first), 2000)
        self.assertEqual(tshark.complaints(first), [])

        text = run.path('timeline').read_text()
        self.assertFalse(text.rstrip().endswith(']'))
        whole = text[:text.rindex('\n')].rstrip(',')  # the last line may be cut
        spans = [e for e in json.loads(whole + ']') if e['ph'] == 'X']
        self.assertGreaterEqual(len(spans), run['a.link.tx_frames'] - 1)


if __name__ == '__main__':
    unittest.main()
