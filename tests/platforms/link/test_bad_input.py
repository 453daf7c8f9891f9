"""What is wrong in a configuration or on a command line is refused before anything runs: exit code
2, one line that names the place and the remedy, and no file made or changed."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

import mutant_commands
import mutants

LINK = os.environ['LINK']
SOURCE = pathlib.Path(os.environ['RAILYARD_SOURCE'])
GOOD = (SOURCE / 'platforms' / 'link' / 'link.yaml').read_text()
NOBODY = 65534
LIMIT = 400  # characters of a message
PLACE = re.compile(r'railyard: (--?[\w-]|command line: |\S*?\.yaml|\S*/|n{100})')


def snapshot(folder):
    """Names, kinds and contents of all that is in a folder; of a large file its size."""
    found = {}
    for path in sorted(folder.rglob('*')):
        status = path.lstat()
        small = stat.S_ISREG(status.st_mode) and status.st_size < 10**6 and os.access(path, os.R_OK)
        found[str(path)] = (status.st_mode, status.st_size, path.read_bytes() if small else None)
    return found


class Bench:
    """Runs the platform in folders of their own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        # A copy, since an ordinary user may not reach the folder of the build.
        self.link = shutil.copy(LINK, self.folder / 'link')
        self.runs = 0

    def run(self, number, mutant):
        """The folder's state before and after, and what came of the run."""
        folder = self.folder / str(number)
        folder.mkdir()
        folder.chmod(0o777)
        config = GOOD.encode() if mutant.config is None else mutant.config
        (folder / 'c.yaml').write_bytes(config)
        mutant.prepare(folder)
        before = snapshot(folder)
        arguments = mutant.command or ('--config', 'c.yaml', *mutant.arguments)
        if mutant.config is not None:
            arguments += mutants.OUTPUTS
        user = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
        done = subprocess.run([self.link, *arguments], cwd=folder, capture_output=True, timeout=20,
                              stdin=subprocess.DEVNULL, check=False,
                              **(user if mutant.ordinary_user and os.getuid() == 0 else {}))
        after = snapshot(folder)
        shutil.rmtree(folder, ignore_errors=True)  # one may be closed to us
        return before, after, done


def faults(mutant, before, after, done):
    """What is wrong with a refusal."""
    message = done.stderr.decode('latin-1')
    if done.returncode != 2:
        yield f'exit code {done.returncode}'
    if done.stdout:
        yield f'stdout: {done.stdout[:200]}'
    if not message.endswith('\n') or message.count('\n') != 1:
        yield 'not one line'
    if not re.fullmatch('[\x20-\x7e]*', message[:-1]):
        yield 'not printable ASCII'
    if len(message) > LIMIT:
        yield f'{len(message)} characters'
    if not PLACE.match(message) or not message.startswith(f'railyard: {mutant.place}'):
        yield f'not placed at {mutant.place or "anything"}'
    if not re.search(r'; \S.{7}', message):
        yield 'no remedy'
    for words in mutant.says:
        if words not in message:
            yield f'does not say: {words}'
    if before != after:
        yield 'made or changed files'


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.bench = Bench(folder.name)
        described = subprocess.run([LINK, '--describe=json'], capture_output=True, check=True)
        document = mutants.Document(GOOD, mutants.parameters(json.loads(described.stdout)))
        cls.groups = {**mutants.every(document), **mutant_commands.every(document)}

    def check_refused(self, group):
        def check(job):
            number, mutant = job
            try:
                before, after, done = self.bench.run(f'{group}{number}', mutant)
            except subprocess.TimeoutExpired:
                return f'{mutant.name}: hangs'
            found = list(faults(mutant, before, after, done))
            said = done.stderr[:LIMIT + 200].decode('latin-1')
            return f'{mutant.name}: {", ".join(found)}\n  {said}' if found else ''

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            bad = [text for text in pool.map(check, enumerate(self.groups[group])) if text]
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
