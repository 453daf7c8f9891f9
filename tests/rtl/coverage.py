"""Lines of a block that its lockstep runs, as Verilator counts them."""

import os
import pathlib
import subprocess

import blocks

BUILD = pathlib.Path(os.environ.get('RAILYARD_BUILD', blocks.ROOT / 'build' / 'release'))
CYCLES = 300_000
LEAST = 0.95


def lines_of(info, source):
    """{line: count} of one source in lcov's format."""
    counts, inside = {}, False
    for line in info.splitlines():
        if line.startswith('SF:'):
            inside = line[3:].endswith(source)
        elif inside and line.startswith('DA:'):
            number, count = line[3:].split(',')
            counts[int(number)] = counts.get(int(number), 0) + int(count)
    return counts


def measured(block, folder):
    """The lcov file's text after a lockstep."""
    program = BUILD / 'tests' / 'rtl' / f'{block.name}_coverage'
    subprocess.run([program], check=True, capture_output=True, timeout=120,
                   env={**os.environ, 'RAILYARD_COVERAGE_DIR': str(folder),
                        'RAILYARD_LOCKSTEP_CYCLES': str(CYCLES),
                        'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'})
    info = folder / 'lines.info'
    subprocess.run(['verilator_coverage', '--write-info', info, *sorted(folder.glob('*.dat'))],
                   check=True, capture_output=True, timeout=60)
    return info.read_text()


def faults(info, source, text, holes):
    """What is wrong with the coverage of a source, as lines. `holes`: {the text of an uncovered line:
    why}; each explains every line of that text."""
    counts = lines_of(info, source)
    if not counts:
        return [f'{source}: no line was counted']
    lines = [''] + [line.strip() for line in text.splitlines()]
    uncovered = [n for n, count in sorted(counts.items()) if count == 0]
    found = [f'{source}:{n}: never run: {lines[n]}' for n in uncovered if lines[n] not in holes]
    found += [f'{source}: no hole any more, take it from the table: {hole}' for hole in holes
              if hole not in [lines[n] for n in uncovered]]
    share = 1 - len(uncovered) / len(counts)
    if share < LEAST:
        found.append(f'{source}: {share:.1%} of {len(counts)} lines run, {LEAST:.0%} are asked for')
    return found
