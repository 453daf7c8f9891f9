"""However a run breaks from inside, it says so once, exits 3, and what it wrote can be read."""

import os
import unittest

import link_case  # noqa: F401
import tshark
from platform_run import ALL, PlatformCase

SAYS = {'exception': 'thrown on purpose', 'invariant': 'broken on purpose',
        'error': 'an error on purpose', 'fatal': 'fatal on purpose'}
# SystemC does not tell AddressSanitizer when it changes stacks: after a throw on a thread's, it
# finds errors that are none.
needs_stacks = unittest.skipIf(os.environ.get('SANITIZED') == '1', 'AddressSanitizer')
FAILS_AT = 10_000_000  # ps; a thread one later


class Failures(PlatformCase):
    executable = os.environ['FAILING']

    def run_failing(self, *arguments, **settings):
        config = self.folder / 'failing.yaml'
        config.write_text('seed: 1')
        return self.run_platform('--config', config, *arguments, **settings)

    def assert_breaks(self, failure, place):
        run = self.run_failing(outputs=ALL, code=3, failure=failure, place=place)
        end = FAILS_AT + (place == 'thread')
        self.assertEqual(run.err.count('railyard: error: '), 1, run.err)
        self.assertEqual(run.err.count(SAYS[failure]), 1, run.err)
        self.assertIn(SAYS[failure], run.report['error'])
        self.assertEqual((run.report['end'], run.report['complete']), ('failed', False))
        self.assertEqual(run.end_ps, end)
        self.assertEqual(run['breaker.steps'], 10)
        self.assertEqual(run.waves['breaker.count'].changes,
                         [(n * 1_000_000, n) for n in range(11)])
        self.assertEqual(run.waves.end, end)
        self.assertEqual([p['time'] for p in tshark.packets(run.path('pcap'))],
                         [n * 1000 for n in range(1, 11)])
        self.assertEqual([s[3]['number'] for s in run.spans('breaker.work')],
                         list(range(1, 11)))
        return run

    def test_an_exception_in_a_callback(self):
        self.assert_breaks('exception', 'callback')

    @needs_stacks
    def test_an_exception_in_a_thread(self):
        self.assert_breaks('exception', 'thread')

    def test_an_error_in_a_callback(self):
        self.assert_breaks('error', 'callback')

    @needs_stacks
    def test_an_error_in_a_thread(self):
        self.assert_breaks('error', 'thread')

    def test_fatal_in_a_callback(self):
        self.assert_breaks('fatal', 'callback')

    @needs_stacks
    def test_fatal_in_a_thread(self):
        self.assert_breaks('fatal', 'thread')

    def assert_names_module_and_time(self, place):
        error = self.assert_breaks('invariant', place).report['error']
        self.assertIn('breaker', error)
        self.assertRegex(error, '10us|1000000[01]ps')

    def test_a_broken_invariant_in_a_callback_names_module_and_time(self):
        self.assert_names_module_and_time('callback')

    @needs_stacks
    def test_a_broken_invariant_in_a_thread_names_module_and_time(self):
        self.assert_names_module_and_time('thread')

    def test_without_a_failure_it_runs_on(self):
        run = self.run_failing('--until', '20500ns')
        self.assertEqual((run.report['end'], run['breaker.steps']), ('until', 20))


if __name__ == '__main__':
    unittest.main()
