"""What is wrong in a configuration or on a command line is refused before anything runs: exit code
2, one line that names the place and the remedy, and no file made or changed."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import mutant_commands
import mutants
from refusals import Bench, refused

LINK = os.environ['LINK']
SOURCE = pathlib.Path(os.environ['RAILYARD_SOURCE'])
GOOD = (SOURCE / 'platforms' / 'link' / 'link.yaml').read_text()


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.bench = Bench(LINK, GOOD, folder.name)
        described = subprocess.run([LINK, '--describe=json'], capture_output=True, check=True)
        document = mutants.Document(GOOD, mutants.parameters(json.loads(described.stdout)))
        cls.groups = {**mutants.every(document), **mutant_commands.every(document)}

    def check_refused(self, group):
        bad = refused(self.bench, group, self.groups[group])
        self.assertFalse(bad, f'{len(bad)} of {len(self.groups[group])}\n' + '\n'.join(bad))

    def test_a_wrong_key_or_value_is_refused_at_its_line(self):
        self.check_refused('keys')

    def test_a_wrong_expectation_is_refused_at_its_line(self):
        self.check_refused('expectations')

    def test_a_file_that_is_no_plain_yaml_is_refused(self):
        self.check_refused('structure')

    def test_nodes_that_make_no_link_are_refused(self):
        self.check_refused('nodes')

    def test_a_wrong_assignment_is_refused(self):
        self.check_refused('assignments')

    def test_a_wrong_command_line_is_refused(self):
        self.check_refused('command_lines')

    def test_an_output_that_cannot_be_written_is_refused_before_another_is_touched(self):
        self.check_refused('outputs')

    def test_a_configuration_that_cannot_be_read_is_refused(self):
        self.check_refused('files')

    def test_the_mutants_are_many_and_differ(self):
        inputs = {m[1:4] for group in self.groups.values() for m in group}
        self.assertGreater(len(inputs), 1000)

    def test_good_input_makes_the_files_that_bad_input_does_not(self):
        before, after, done = self.bench.run('good', mutants.Mutant('good', GOOD.encode()))
        self.assertEqual(done.returncode, 0)
        self.assertEqual({pathlib.Path(path).name for path in set(after) - set(before)},
                         set(mutants.OUTPUTS[1::2]))

    def test_good_input_of_unusual_form_runs(self):
        good = GOOD.encode()
        short = ('--until', '2us', '--no-expect', '--quiet')
        for name, config, arguments in (
                ('as shipped', good, ()), ('CRLF', good.replace(b'\n', b'\r\n'), ()),
                ('byte-order mark', b'\xef\xbb\xbf' + good, ()),
                ('document marks', b'---\n' + good + b'...\n', ()),
                ('not ASCII in a comment', '# \u00fcber \U0001f682\n'.encode() + good, ()),
                ('brackets in a comment', b'#' + b'[' * 900 + b'\n' + good, ()),
                ('15 MB of comments', good + b'# line\n' * 2 * 10**6, ()),
                ('no end of line', good.rstrip(b'\n'), ()),
                ('quantities in quotes', good.replace(b'400Gbps', b'"400Gbps"'), ()),
                ('a space before the unit', good.replace(b'400Gbps', b'400 Gbps'), ()),
                ('a rate as a fraction', good.replace(b'400Gbps', b'32768/65Gbps'), ()),
                ('the last of two assignments', good, ('--set', 'seed=2', '--set', 'seed=3')),
                ('the largest seed', good, ('--seed', str(2**64 - 1))),
                ('a list in an assignment', good,
                 ('--set', 'link.outages=[{at: 1us, lasts: 1us}]')),
                ('two partitions', good, ('--partitions', '2')),
                ('a trigger on a level', good, ('--trace', 't.fst', '--trace-trigger',
                                                'b.port.receive_buffer_bytes_peak>1')),
                ('outputs over older files', good, ('--report', 'c.json', '--trace', 't.vcd')),
                ('a report to nowhere', good, ('--report', '/dev/null'))):
            with self.subTest(name):
                mutant = mutants.Mutant(name, arguments=(*arguments, *short))
                mutant = mutant._replace(prepare=lambda f, c=config: (f / 'c.yaml').write_bytes(c))
                _, _, done = self.bench.run(name, mutant)
                self.assertEqual((done.returncode, done.stderr), (0, b''))


if __name__ == '__main__':
    unittest.main()
