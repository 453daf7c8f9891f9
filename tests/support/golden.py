"""What shipped configurations did when their golden file was last renewed: digests of report,
capture and trace, and the metrics, so that a change shows what it moved."""

import hashlib
import json
import re
import sys
import unittest

import vcd
from platform_run import source

OUTPUTS = ('report', 'trace', 'pcap')


def record(run, kept=''):
    """Of one run, free of paths and of the machine; of the metrics those that match `kept`."""
    report = {key: value for key, value in run.report.items() if key != 'host'}
    texts = {
        'report': json.dumps(report, sort_keys=True, separators=(',', ':')).encode(),
        'pcap': run.path('pcap').read_bytes(),
        # Not the FST's bytes, which depend on the compressor.
        'trace': vcd.text_of_fst(run.path('trace')).encode(),
    }
    digests = {output: hashlib.sha256(text).hexdigest() for output, text in texts.items()}
    metrics = {name: value for name, value in run.metrics.items() if re.match(kept, name)}
    return {'sha256': digests, 'metrics': metrics}


def differences(was, now):
    lines = [f'{output}: other bytes' for output in OUTPUTS
             if was['sha256'].get(output) != now['sha256'].get(output)]
    for name in sorted(was['metrics'].keys() | now['metrics'].keys()):
        before, after = (side['metrics'].get(name, 'absent') for side in (was, now))
        if before != after:
            lines.append(f'{name}: {before} -> {after}')
    return lines


class Golden:
    """Mixed into a PlatformCase that has `platform`, the folder's name, and `golden_file`, a
    path."""

    kept = ''   # a pattern of the metrics that are kept beside the digests
    codes = {}  # exit codes other than 0, by file name
    sets = {}   # by file name, what is set so that it does not take long

    def records(self):
        found = {}
        for config in sorted(source(f'platforms/{self.platform}').glob('*.yaml')):
            run = self.run_platform('--config', config, name=config.stem, outputs=OUTPUTS,
                                    code=self.codes.get(config.name, 0),
                                    **self.sets.get(config.name, {}))
            found[config.name] = record(run, self.kept)
        return found

    def renew(self):
        self.golden_file.write_text(json.dumps(self.records(), indent=1) + '\n')

    def renewal(self):
        """The command that does it."""
        return (f'{self.platform.upper()}={self.executable} RAILYARD_SOURCE={source()} '
                f'/usr/bin/python3 {sys.argv[0]} --renew')

    def test_shipped_configurations_do_what_they_did(self):
        was, now = json.loads(self.golden_file.read_text()), self.records()
        nothing = {'sha256': {}, 'metrics': {}}
        lines = [f'{name}: {line}' for name in sorted(was | now)
                 for line in differences(was.get(name, nothing), now.get(name, nothing))]
        if lines:
            self.fail('\n'.join(['what shipped configurations do has changed:', *lines,
                                 f'if that is meant: {self.renewal()}']))


def main(case):
    """The main of a golden test: LINK=... test_golden.py [--renew]."""
    if '--renew' in sys.argv:
        case.test_shipped_configurations_do_what_they_did = case.renew
    unittest.main(argv=sys.argv[:1])
