"""One shipped configuration: test_shipped.py PROGRAM FILE. It runs to its end, holds expectations
and meets them; those of EXIT end with that code instead."""

import json
import pathlib
import subprocess
import sys
import tempfile

EXIT = {'ring_deadlock.yaml': 3}
SAYS = {'ring_deadlock.yaml': ('deadlock, unbroken for', 'sw4.port1.egress3 waits for')}


def faults(program, file):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, 'r.json')
        done = subprocess.run([program, '--config', file, '--quiet', '--report', report],
                              capture_output=True, text=True, timeout=240, check=False)
        found = json.loads(report.read_text()) if report.exists() else {}
    if done.returncode != EXIT.get(file.name, 0):
        yield f'exit code {done.returncode}: {done.stderr}'
    if 'expect:' not in file.read_text():
        yield 'no expectations'
    if done.returncode == 0 and not found.get('expectations'):
        yield 'no expectation was looked at'
    for words in SAYS.get(file.name, ()):
        if words not in done.stderr:
            yield f'does not say: {words}'


def main():
    found = list(faults(sys.argv[1], pathlib.Path(sys.argv[2])))
    print('\n'.join(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
