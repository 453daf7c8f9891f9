"""The railyard command, run in a copy of the tree's skeleton with every tool that it calls faked:
nothing is built or installed, and each fake notes how it was called."""

import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the fakes answer: a tool's shell text; $log is where calls are noted.
NOTE = 'printf "%s\\n" "$(basename "$0") $*" >>"$log"\n'
CTEST_HELP = ('[ "$1" != --help ] || { echo "  -R <regex>, --tests-regex <regex>"; '
              'echo "  -j <jobs>, --parallel <jobs> = Run"; exit; }\n')
PLATFORM = '#!/bin/sh\necho "cwd $PWD"\nfor a; do echo "arg $a"; done\nexit 3\n'


class Sandbox:
    """A repository's skeleton in a folder with a space in its name, and the fakes."""

    def __init__(self, folder):
        self.root = folder / 'a repository'
        self.bin = folder / 'bin'
        self.log = folder / 'log'
        self.log.touch()
        self.bin.mkdir()
        for name in ('incast', 'link', 'common'):
            (self.root / 'platforms' / name).mkdir(parents=True)
        for name in ('incast', 'link'):
            (self.root / 'platforms' / name / 'main.cpp').touch()
            self.program(f'build/release/platforms/{name}/{name}', PLATFORM)
        self.program('build/release/tests/bench/bench', PLATFORM)
        shutil.copy(ROOT / 'railyard', self.root)
        shutil.copytree(ROOT / 'cmake' / 'packages', self.root / 'cmake' / 'packages')
        (self.root / 'waveforms').mkdir()
        self.missing()
        for tool in ('apt-get', 'sudo', 'cmake', 'gtkwave', 'wireshark'):
            self.fake(tool, '')
        self.fake('ctest', CTEST_HELP + 'exit 8')
        self.be('root')

    def program(self, file, text):
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def fake(self, tool, text):
        (self.bin / tool).write_text(f'#!/bin/sh\nlog={self.log}\n{NOTE}{text}\n')
        (self.bin / tool).chmod(0o755)

    def be(self, user):
        self.fake('id', f'echo {0 if user == "root" else 1000}')

    def missing(self, *packages):
        """Makes dpkg-query know all packages of the lists but these."""
        lists = (ROOT / 'cmake' / 'packages').glob('*.txt')
        names = {n for file in lists for n in file.read_text().split()} - set(packages)
        self.fake('dpkg-query', ''.join(f'echo "{n} installed"\n' for n in sorted(names)))

    def run(self, *arguments, cwd=None, stdin=subprocess.DEVNULL, **environment):
        base = {'PATH': f'{self.bin}:/usr/bin:/bin', 'HOME': str(self.root)}
        return subprocess.run([self.root / 'railyard', *arguments], cwd=cwd or self.root, text=True,
                              stdin=stdin, capture_output=True, check=False,
                              env={**base, **environment})

    def calls(self, tool):
        return [c for c in self.log.read_text().splitlines() if c.startswith(f'{tool} ')]


class RailyardTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.box = Sandbox(pathlib.Path(folder.name))

    def assert_refused(self, words, *arguments, **environment):
        done = self.box.run(*arguments, **environment)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, '')
        for word in words:
            self.assertIn(word, done.stderr)


class Usage(RailyardTest):
    def test_help_names_every_command(self):
        for arguments in ([], ['--help'], ['-h'], ['help']):
            done = self.box.run(*arguments)
            self.assertEqual(done.returncode, 0)
            for command in ('run [', 'test [', 'bench [', 'view FILE', 'sweep, compare'):
                self.assertIn(f'\n  {command}', done.stdout)

    def test_an_unknown_command_is_refused_with_the_nearest(self):
        self.assert_refused(['unknown command banch', 'did you mean bench?'], 'banch')

    def test_an_unknown_command_near_to_none_suggests_nothing(self):
        done = self.box.run('elephant')
        self.assertEqual(done.returncode, 2)
        self.assertNotIn('did you mean', done.stderr)

    def test_an_unknown_option_is_refused_with_the_nearest(self):
        self.assert_refused(['unknown option --jsn', 'did you mean --json?'], 'bench', '--jsn')
        self.assert_refused(['unknown option --lng', 'did you mean --long?'], 'test', '--lng')
        self.assert_refused(['unknown option --version'], '--version')

    def test_an_unknown_platform_is_refused_with_the_known_and_the_nearest(self):
        self.assert_refused(['unknown platform lnik', 'incast link;', 'did you mean link?'],
                            'run', 'lnik')
        self.assert_refused(['unknown platform common'], 'run', 'common')

    def test_an_unknown_preset_is_refused(self):
        self.assert_refused(['unknown preset asn', 'did you mean asan?'], 'test', '--preset', 'asn')

    def test_what_is_to_come_is_said_to_be_not_available_yet(self):
        for arguments in (['sweep'], ['compare', 'a', 'b'], ['run', '--html', 'a.html'],
                          ['run', 'link', '--html=a.html']):
            self.assert_refused(['not available yet'], *arguments)
        self.assertEqual(self.box.calls('cmake'), [])


class Packages(RailyardTest):
    LINE = 'apt-get install -y --no-install-recommends cmake verilator'

    def setUp(self):
        super().setUp()
        self.box.missing('cmake', 'verilator')

    def test_with_no_install_the_apt_line_is_printed(self):
        self.assert_refused([self.LINE], 'run', RAILYARD_NO_INSTALL='1')
        self.assertEqual(self.box.calls('apt-get'), [])

    def test_without_root_and_terminal_the_apt_line_is_printed(self):
        self.box.be('user')
        self.assert_refused([self.LINE], 'run')
        self.assertEqual(self.box.calls('apt-get') + self.box.calls('sudo'), [])

    def test_root_installs_what_is_missing_and_says_so(self):
        done = self.box.run('run')
        self.assertIn('installing cmake verilator', done.stderr)
        self.assertIn(self.LINE, self.box.calls('apt-get'))

    def test_a_first_failure_refreshes_the_lists_and_tries_again(self):
        self.box.fake('apt-get', f'[ $1 = update ] || grep -q update {self.box.log}')
        done = self.box.run('run')
        self.assertEqual(done.returncode, 3, done.stderr)  # the platform's own
        self.assertEqual([c.split()[1] for c in self.box.calls('apt-get')][-2:],
                         ['update', 'install'])

    def test_an_install_that_fails_exits_4_and_builds_nothing(self):
        self.box.fake('apt-get', 'echo "E: broken"; exit 100')
        done = self.box.run('run')
        self.assertEqual(done.returncode, 4)
        self.assertIn('E: broken', done.stderr)
        self.assertEqual(self.box.calls('cmake'), [])

    def on_a_terminal(self, answer):
        self.box.be('user')
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        os.write(master, answer)
        process = subprocess.Popen([self.box.root / 'railyard', 'run'], stdin=slave, stderr=slave,
                                   stdout=subprocess.DEVNULL,
                                   env={'PATH': f'{self.box.bin}:/usr/bin:/bin'})
        os.close(slave)
        return process.wait(timeout=60)

    def test_on_a_terminal_yes_installs_through_sudo(self):
        self.on_a_terminal(b'y\n')
        self.assertIn(f'sudo env DEBIAN_FRONTEND=noninteractive {self.LINE}',
                      self.box.calls('sudo'))

    def test_on_a_terminal_no_installs_nothing(self):
        self.assertEqual(self.on_a_terminal(b'n\n'), 2)
        self.assertEqual(self.box.calls('sudo'), [])

    def test_run_does_not_ask_for_what_only_the_tests_need(self):
        self.box.missing('libgtest-dev', 'tshark', 'gtkwave', 'clang-tidy')
        self.box.run('run')
        self.assertEqual(self.box.calls('apt-get'), [])
        self.box.run('test')
        self.assertIn('libgtest-dev tshark gtkwave clang-tidy', self.box.calls('apt-get')[-1])

    def test_without_apt_the_packages_are_listed(self):
        (self.box.bin / 'apt-get').unlink()
        for tool in ('bash', 'readlink', 'dirname', 'basename', 'grep', 'env', 'sed'):
            (self.box.bin / tool).symlink_to(shutil.which(tool, path='/usr/bin:/bin'))
        self.assert_refused(['no apt-get', 'cmake verilator'], 'run', PATH=str(self.box.bin))


class Run(RailyardTest):
    def arguments(self, done):
        return [line[4:] for line in done.stdout.splitlines() if line.startswith('arg ')]

    def test_the_default_run_writes_all_that_can_be_looked_at(self):
        done = self.box.run('run')
        self.assertEqual(self.arguments(done), [
            '--config', 'platforms/incast/incast.yaml', '--trace', 'out/incast/incast.fst',
            '--pcap', 'out/incast/incast.pcapng', '--timeline', 'out/incast/timeline.json',
            '--report', 'out/incast/report.json'])
        self.assertTrue((self.box.root / 'out/incast').is_dir())

    def test_the_platforms_exit_code_passes_through(self):
        self.assertEqual(self.box.run('run', 'link').returncode, 3)

    def test_another_platform_is_run_when_it_is_named(self):
        self.assertEqual(self.arguments(self.box.run('run', 'link'))[:4], [
            '--config', 'platforms/link/link.yaml', '--trace', 'out/link/link.fst'])

    def test_a_block_s_response_is_written_too(self):
        folder = self.box.root / 'platforms' / 'cc_block'
        folder.mkdir()
        (folder / 'main.cpp').touch()
        self.box.program('build/release/platforms/cc_block/cc_block', PLATFORM)
        arguments = self.arguments(self.box.run('run', 'cc_block', '--set', 'response=mine.csv'))
        # The user's stands behind ours, and so wins.
        self.assertEqual(arguments[-4:], ['--set', "response='out/cc_block/response.csv'",
                                          '--set', 'response=mine.csv'])
        arguments = self.arguments(self.box.run('run', 'cc_block', '--report', 'r.json'))
        self.assertNotIn('--set', arguments)

    def test_one_output_of_the_users_replaces_all_of_the_defaults(self):
        for option in ('--trace=a.fst', '--pcap=a', '--timeline=a', '--report=a', '--describe',
                       '--describe=markdown', '--help', '--version'):
            self.assertEqual(self.arguments(self.box.run('run', 'link', option)),
                             ['--config', 'platforms/link/link.yaml', option])
        self.assertEqual(self.arguments(self.box.run('run', '--trace', 'a.fst'))[2:],
                         ['--trace', 'a.fst'])

    def test_a_configuration_of_the_users_is_the_only_one(self):
        for config in (['--config', 'my.yaml'], ['--config=my.yaml']):
            self.assertEqual(self.arguments(self.box.run('run', *config, '--report', 'r')),
                             [*config, '--report', 'r'])

    def test_from_elsewhere_the_users_paths_stay_and_ours_are_absolute(self):
        elsewhere = self.box.root.parent / 'else where'
        elsewhere.mkdir()
        done = self.box.run('run', 'link', '--seed', '3', cwd=elsewhere)
        self.assertIn(f'cwd {elsewhere}', done.stdout)
        self.assertEqual(self.arguments(done)[:4], [
            '--config', f'{self.box.root}/platforms/link/link.yaml',
            '--trace', f'{self.box.root}/out/link/link.fst'])
        self.assertEqual(self.arguments(done)[-2:], ['--seed', '3'])

    def test_only_the_platforms_target_is_built(self):
        self.box.run('run', 'link')
        folder = self.box.root / 'build/release'
        self.assertEqual(self.box.calls('cmake'), [
            'cmake --preset release', f'cmake --build {folder} --target link'])

    def test_a_configured_build_is_not_configured_again(self):
        (self.box.root / 'build/release/build.ninja').touch()
        self.box.run('run')
        self.assertEqual(len(self.box.calls('cmake')), 1)

    def test_a_build_that_fails_exits_4_and_shows_the_logs_tail(self):
        self.box.fake('cmake', 'echo "the compiler\'s word"; [ "$1" != --build ]')
        done = self.box.run('run')
        self.assertEqual(done.returncode, 4)
        self.assertIn("the compiler's word", done.stderr)
        self.assertIn('build/release/build.log', done.stderr)
        self.assertEqual(done.stdout, '')


class Test(RailyardTest):
    def test_all_is_built_with_tests_and_the_long_ones_are_left_out(self):
        done = self.box.run('test', '-R', 'rate')
        self.assertEqual(done.returncode, 8)  # ctest's own
        folder = self.box.root / 'build/release'
        self.assertEqual(self.box.calls('cmake'), [
            'cmake --preset release -DRAILYARD_TESTS=ON', f'cmake --build {folder} --target all'])
        self.assertEqual(self.box.calls('ctest')[-1],
                         f'ctest --test-dir {folder} --output-on-failure -j {os.cpu_count()} '
                         '-LE ^long$ -R rate')

    def test_long_and_preset_are_obeyed(self):
        self.box.run('test', '--long', '--preset', 'asan')
        self.assertIn('cmake --preset asan -DRAILYARD_TESTS=ON', self.box.calls('cmake'))
        self.assertNotIn('-LE', self.box.calls('ctest')[-1])

    def test_the_benchmarks_are_one_target_and_take_json(self):
        done = self.box.run('bench', '--json')
        self.assertIn('arg --json', done.stdout)
        self.assertIn('--target bench', self.box.calls('cmake')[-1])


class View(RailyardTest):
    def make(self, name):
        (self.box.root / name).touch()
        return name

    def test_a_missing_file_is_refused(self):
        self.assert_refused(['no file out/none.fst'], 'view', 'out/none.fst', DISPLAY=':0')
        self.assert_refused(['one file'], 'view')

    def test_a_file_of_another_kind_is_refused(self):
        self.assert_refused(['.fst, .vcd or .pcapng'], 'view', self.make('a.txt'), DISPLAY=':0')

    def test_without_a_screen_the_remedy_is_said(self):
        self.assert_refused(['DISPLAY', 'ssh -X'], 'view', self.make('a.fst'))

    def test_a_trace_opens_with_the_saved_view_of_its_name(self):
        save = self.box.root / 'waveforms/link.gtkw'
        self.box.run('view', self.make('link.fst'), DISPLAY=':0')
        save.touch()
        self.box.run('view', self.make('link.vcd'), WAYLAND_DISPLAY='w')
        self.assertEqual(self.box.calls('gtkwave'), ['gtkwave link.fst', f'gtkwave link.vcd {save}'])

    def test_a_trace_opens_with_the_view_that_is_named(self):
        for name in ('a', 'a_loop'):
            (self.box.root / f'waveforms/{name}.gtkw').touch()
        self.box.run('view', self.make('a.fst'), 'a_loop', DISPLAY=':0')
        self.assertEqual(self.box.calls('gtkwave'),
                         [f'gtkwave a.fst {self.box.root}/waveforms/a_loop.gtkw'])
        self.assert_refused(['unknown view a_lop', 'did you mean a_loop?'], 'view', 'a.fst', 'a_lop',
                            DISPLAY=':0')

    def test_a_trace_installs_gtkwave_when_it_is_missing(self):
        self.box.missing('gtkwave')
        self.box.run('view', self.make('a.fst'), DISPLAY=':0')
        self.assertIn('apt-get install -y --no-install-recommends gtkwave',
                      self.box.calls('apt-get'))

    def test_a_capture_opens_in_wireshark(self):
        self.box.run('view', self.make('a.pcapng'), DISPLAY=':0')
        self.assertEqual(self.box.calls('wireshark'), ['wireshark -r a.pcapng'])


if __name__ == '__main__':
    unittest.main()
