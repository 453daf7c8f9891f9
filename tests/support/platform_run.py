"""Runs a platform's executable in a folder of its own and reads what it leaves."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import vcd

SUFFIX = {'report': '.json', 'trace': '.fst', 'pcap': '.pcapng', 'timeline': '.timeline.json'}
ALL = tuple(SUFFIX)
# A platform keeps SystemC's banner away by itself.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != 'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE'}


def text(value):
    """A value as --set takes it."""
    return value if isinstance(value, str) else json.dumps(value)


def command_line(executable, stem, outputs, sets, arguments):
    command = [executable]
    for key, value in sets.items():
        command += ['--set', f'{key}={text(value)}']
    for output in outputs:
        command += [f'--{output}', f'{stem}{SUFFIX[output]}']
    return command + [str(a) for a in arguments]


def without_host(report):
    """The part of a report that a run is to reproduce, as bytes."""
    kept = {key: value for key, value in report.items() if key != 'host'}
    return json.dumps(kept, indent=2).encode()


class Run:
    """A run that has ended."""

    def __init__(self, stem, code, out, err):
        self.stem, self.code, self.out, self.err = stem, code, out, err

    def path(self, output):
        return pathlib.Path(f'{self.stem}{SUFFIX[output]}')

    def bytes(self, output):
        return without_host(self.report) if output == 'report' else self.path(output).read_bytes()

    @functools.cached_property
    def report(self):
        return json.loads(self.path('report').read_text())

    def __getitem__(self, metric):
        return self.report['metrics'][metric]['value']

    @property
    def metrics(self):
        return {name: metric['value'] for name, metric in self.report['metrics'].items()}

    @property
    def end_ps(self):
        """When the run ended. A report's nanoseconds have three decimals."""
        return round(self.report['simulated_ns'] * 1000)

    @functools.cached_property
    def waves(self):
        return vcd.read_fst(self.path('trace'))

    @functools.cached_property
    def timeline(self):
        return json.loads(self.path('timeline').read_text())

    def spans(self, lane):
        """(begin, end, name, arguments) of a lane's spans, in picoseconds."""
        processes = {e['pid']: e['args']['name'] for e in self.timeline
                     if e['name'] == 'process_name'}
        lanes = {(e['pid'], e['tid']): f"{processes[e['pid']]}.{e['args']['name']}"
                 for e in self.timeline if e['name'] == 'thread_name'}
        found = []
        for e in self.timeline:
            if e['ph'] == 'X' and lanes[e['pid'], e['tid']] == lane:
                begin, lasts = round(e['ts'] * 1e6), round(e['dur'] * 1e6)
                found.append((begin, begin + lasts, e['name'], e['args']))
        return found


class PlatformCase(unittest.TestCase):
    """Base of tests of whole runs. `executable` is the platform's."""

    executable = None
    longest = 120  # seconds; no run comes near

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_platform(self, *arguments, name='run', outputs=('report',), code=0, **sets):
        """One run; `link__rate='100Gbps'` sets link.rate. Fails on another exit code."""
        sets = {key.replace('__', '.'): value for key, value in sets.items()}
        stem = self.folder / name
        done = subprocess.run(command_line(self.executable, stem, outputs, sets, arguments),
                              capture_output=True, text=True, timeout=self.longest,
                              env=ENVIRONMENT)
        self.assertEqual(done.returncode, code, done.stderr)
        return Run(stem, done.returncode, done.stdout, done.stderr)

    def start_platform(self, *arguments, name='run', outputs=('report',), **sets):
        """A run that goes on: (process, what will be its Run)."""
        sets = {key.replace('__', '.'): value for key, value in sets.items()}
        stem = self.folder / name
        process = subprocess.Popen(
            command_line(self.executable, stem, outputs, sets, arguments),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=ENVIRONMENT)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process, Run(stem, None, '', '')

    def wait_until(self, holds, process):
        """Until `holds()`, while the process runs."""
        give_up = time.monotonic() + self.longest
        while not holds():
            self.assertIsNone(process.poll(), 'the run has ended')
            self.assertLess(time.monotonic(), give_up, 'waited in vain')
            time.sleep(0.01)

    def end_of(self, process, run):
        run.out, run.err = process.communicate(timeout=self.longest)
        run.code = process.returncode
        return run


def source(path=''):
    return pathlib.Path(os.environ['RAILYARD_SOURCE']) / path


def is_hierarchical(name):
    return re.fullmatch(r'[A-Za-z]\w*(\.\w+)+', name) is not None
