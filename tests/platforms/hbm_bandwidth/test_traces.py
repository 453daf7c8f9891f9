"""Traces from files: two formats, every line of them is done, and not before its clock."""

import re
import unittest

from hbm_case import CK, HbmCase

TIMED = """# address, command, clock
0x0 READ 0
0x100 R 100
64 W 110   # decimal
0x1000 w 5000
"""
UNTIMED = """R 0x0
W 32

READ 0x40
write 0x60
"""


class Traces(HbmCase):
    def run_trace(self, text, *arguments, name='t', **settings):
        path = self.config(text, f'{name}.trace')
        return self.run_one(*arguments, name=name, traffic__pattern='trace',
                            traffic__trace=str(path), **settings)

    def commands(self, text, **settings):
        """Column commands of a trace: (clock, channel, pseudo-channel, name, address's bank...)."""
        path = self.folder / 'commands.txt'
        self.run_trace(text, command_trace=str(path), hbm__drain__idle='10ns', **settings)
        lines = [line.split() for line in path.read_text().splitlines() if line[0] != '#']
        return [(float(line[0]), *line[1:]) for line in lines if line[3] in ('RD', 'WR')]

    def test_all_lines_of_both_formats_are_done(self):
        for name, text, reads, writes in (('timed', TIMED, 2, 2), ('untimed', UNTIMED, 2, 2)):
            run = self.run_trace(text, name=name)
            self.assertEqual(run['total.latency_ns_count'], 4)
            self.assertEqual(run['hbm.bytes_read'], 32 * reads)
            self.assertEqual(run['hbm.bytes_written'], 32 * writes)
            self.assertEqual(run['total.unfinished_requests'], 0)

    def test_no_request_is_given_before_its_clock(self):
        at = self.commands(TIMED)
        self.assertEqual([c[3] for c in at], ['RD', 'RD', 'WR', 'WR'])
        for (clock, *_), earliest in zip(at, (0, 100, 110, 5000)):
            self.assertGreaterEqual(clock, earliest)
            self.assertLess(clock, earliest + 200)

    def test_hexadecimal_and_decimal_addresses_are_the_same(self):
        hexed = self.commands('R 0x12345660\nR 0x40\n')
        self.assertEqual(hexed, self.commands(f'R {0x12345660}\nR 64\n'))

    def test_addresses_are_rounded_down_to_an_access(self):
        self.assertEqual(self.commands('R 0x5f\n'), self.commands('R 0x40\n'))

    def test_a_format_can_be_given(self):
        run = self.run_trace(UNTIMED, traffic__trace_format='command_first')
        self.assertEqual(run['total.latency_ns_count'], 4)
        wrong = self.run_trace(UNTIMED, code=2, outputs=(),
                               traffic__trace_format='address_first')
        self.assertIn('ADDRESS R|W CYCLE', wrong.err)

    def test_requests_bounds_a_trace(self):
        run = self.run_trace(UNTIMED, traffic__requests=3)
        self.assertEqual(run['total.latency_ns_count'], 3)

    def test_a_trace_in_order_is_as_fast_as_the_pattern(self):
        text = ''.join(f'R {32 * i:#x}\n' for i in range(20000))
        traced = self.run_trace(text)
        pattern = self.run_one(traffic__requests=20000, name='p')
        self.assertEqual(traced['total.completion_ns'], pattern['total.completion_ns'])

    def test_a_timed_trace_is_open_loop(self):
        text = ''.join(f'{32 * i:#x} R {10 * i}\n' for i in range(3000))
        run = self.run_trace(text)
        self.assertAlmostEqual(run['total.time_ns'], 2999 * 10 * CK, delta=500)

    def test_bad_lines_are_refused_at_their_place(self):
        for text, line, says in (
                ('R 0x0\nX 0x20\n', 2, '"X"'),
                ('R 0x0\nR\n', 2, '1 words'),
                ('R 0x0\n0x20 R 5\n', 2, '3 words'),
                ('hello\n', 1, 'neither'),
                ('0x0 R 5\n0x20 R 4\n', 2, 'comes after'),
                ('0x0 R 5\n0x20 R 0x6\n', 2, 'cycle'),
                ('0x0 R -5\n', 1, 'cycle'),
                ('R 0xZZ\n', 1, 'address'),
                ('R 0x10000000000000000\n', 1, 'address'),
                ('R 0x0\n\n# c\nR 0x20000000\n', 4, 'capacity'),
        ):
            with self.subTest(text):
                run = self.run_trace(text, code=2, outputs=())
                self.assertIn(f't.trace:{line}: ', run.err)
                self.assertIn(says, run.err)
                self.assertEqual(len(run.err.strip().splitlines()), 1, run.err)

    def test_files_without_requests_or_that_are_none_are_refused(self):
        self.assertIn('no request', self.run_trace('# nothing\n', code=2, outputs=()).err)
        run = self.run_one(code=2, outputs=(), traffic__pattern='trace',
                           traffic__trace=str(self.folder))
        self.assertTrue(re.search('traffic.trace: .* no file', run.err), run.err)


if __name__ == '__main__':
    unittest.main()
