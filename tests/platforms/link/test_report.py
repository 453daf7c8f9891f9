"""The report, the summary and the exit code of a run."""

import json
import unittest

import jsonschema
from link_case import LinkCase
from platform_run import is_hierarchical, source

MISSED = [{'metric': 'b.port.overflow', 'min': 1}, {'metric': 'b.port.stray_packets', 'equals': 0}]
CUT_FOR_GOOD = {'link__outages': '[{at: 20us}]'}


def validator():
    schema = json.loads(source('platforms/common/report.schema.json').read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class Form(LinkCase):
    def assert_valid(self, report):
        self.assertEqual([e.message for e in validator().iter_errors(report)], [])

    def test_reports_of_all_ends_are_valid(self):
        good = self.run_platform()
        self.assertEqual((good.report['end'], good.report['complete']), ('drained', True))
        self.assert_valid(good.report)
        self.assert_valid(self.run_platform(expect=MISSED, code=1).report)
        self.assert_valid(self.run_link('--until', '20us').report)
        self.assert_valid(self.run_link(code=3, **CUT_FOR_GOOD).report)

    def test_the_schema_is_strict(self):
        report = self.run_platform().report
        metric = 'total.goodput_gbps'
        spoiled = [{**report, 'more': 1}, {**report, 'schema': 2}, {**report, 'end': 'failed'},
                   {**report, 'complete': False}, {**report, 'error': 'none'},
                   {**report, 'metrics': {'flat': report['metrics'][metric]}},
                   {**report, 'metrics': {metric: {'value': 1, 'unit': 'Gb/s', 'doc': ''}}}]
        spoiled += [{k: v for k, v in report.items() if k != key} for key in report]
        for one in spoiled:
            self.assertFalse(validator().is_valid(one))

    def test_every_metric_has_a_hierarchical_name_a_unit_and_a_doc(self):
        metrics = self.run_platform().report['metrics']
        self.assertGreater(len(metrics), 50)
        self.assertEqual(list(metrics), sorted(metrics))
        for name, metric in metrics.items():
            self.assertTrue(is_hierarchical(name), name)
            self.assertTrue(metric['unit'] and metric['doc'], name)

    def test_the_configuration_in_it_reproduces_the_run(self):
        first = self.run_link(seed=7, link__bit_error_rate=1e-7, nodes__a__pfc__quanta=99,
                              link__outages='[{at: 30us, lasts: 1us}]', traffic__vlan=5)
        again = self.run_link('--config', first.path('report'), name='again')
        self.assertEqual(first.bytes('report'), again.bytes('report'))


class Summary(LinkCase):
    def test_it_shows_metrics_and_names_the_files_written(self):
        run = self.run_platform(outputs=('report', 'trace', 'pcap', 'timeline'))
        lines = run.out.splitlines()
        for output in ('report', 'trace', 'pcap', 'timeline'):
            self.assertIn(f'wrote {run.path(output)}', lines)
            self.assertTrue(run.path(output).stat().st_size)
        shown = {line.split()[0]: line.split()[1:] for line in lines if len(line.split()) == 3}
        self.assertEqual(shown['b.port.pfc_xoff_sent'],
                         [str(run['b.port.pfc_xoff_sent']), 'frames'])
        self.assertEqual(shown['total.goodput_gbps'], [f"{run['total.goodput_gbps']:.3f}", 'Gb/s'])
        self.assertEqual(run.err, '')

    def test_quiet_prints_nothing(self):
        run = self.run_platform('--quiet')
        self.assertEqual((run.out, run.err), ('', ''))

    def test_a_quiet_run_still_says_why_it_failed(self):
        run = self.run_link('--quiet', code=3, **CUT_FOR_GOOD)
        self.assertEqual(run.out, '')
        self.assertIn('railyard: error: ', run.err)

    def test_no_draft_of_the_report_is_left(self):
        self.run_platform()
        self.assertEqual([p.name for p in self.folder.iterdir()], ['run.json'])


class Expectations(LinkCase):
    def test_a_missed_one_is_said_and_exits_1(self):
        run = self.run_platform(expect=MISSED, code=1)
        text = 'b.port.overflow = 0, expected at least 1'
        self.assertEqual(run.report['expectations'],
                         [{'met': False, 'text': text},
                          {'met': True, 'text': 'b.port.stray_packets = 0, expected exactly 0'}])
        self.assertIn(f'expectation missed: {text}', run.err)
        self.assertTrue(run.report['complete'])

    def test_no_expect_looks_at_none(self):
        run = self.run_platform('--no-expect', expect=MISSED)
        self.assertEqual(run.report['expectations'], [])
        self.assertEqual(run.err, '')
        absent = [{'metric': 'c.port.overflow', 'equals': 0}]
        self.run_platform('--no-expect', expect=absent)
        self.run_platform(expect=absent, code=2)

    def test_they_hold_for_a_run_that_until_ended(self):
        unfinished = [{'metric': 'total.unfinished_flows', 'equals': 1}]
        self.run_platform('--until', '20us', expect=unfinished)
        self.run_platform('--until', '20us', code=1)  # the shipped ones want all flows finished


class Ends(LinkCase):
    def test_until_ends_the_run_there_and_counts_what_is_unfinished(self):
        run = self.run_link('--until', '20us')
        self.assertEqual((run.report['end'], run.end_ps), ('until', 20_000_000))
        self.assertEqual(run['total.unfinished_flows'], 1)
        self.assertLess(run['b.port.received_packets'], 1024)
        self.assertIn('items of work unfinished', run.out)

    def test_a_link_down_for_good_says_who_waits_for_what_and_exits_3(self):
        run = self.run_link(code=3, **CUT_FOR_GOOD)
        self.assertEqual((run.report['end'], run.report['complete']), ('failed', False))
        error = run.report['error']
        self.assertIn('a.port waits for', error)
        self.assertIn('the link to come up', error)
        self.assertRegex(error, r'2\d(\.\d+)?us|2\d{7}ps')  # when
        self.assertEqual(run.err.count('railyard: error: '), 1)
        self.assertIn(f'railyard: error: {error}', run.err)


if __name__ == '__main__':
    unittest.main()
