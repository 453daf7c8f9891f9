#!/usr/bin/python3
"""Prints a table of hw/hbm/README.md: constraints, presets or sources, as hbm_tables of the build in
$RAILYARD_BUILD (or build/release) has it."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get('RAILYARD_BUILD', ROOT / 'build' / 'release'))

if __name__ == '__main__':
    sys.exit(subprocess.run([BUILD / 'tests' / 'hw' / 'hbm' / 'hbm_tables', *sys.argv[1:]],
                            check=False).returncode)
