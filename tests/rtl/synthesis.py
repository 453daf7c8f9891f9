#!/usr/bin/python3
"""The record of what yosys makes of each block: cells, flip-flops, longest logic depth.

    synthesis.py                   compares the record with what yosys makes now
    synthesis.py --renew           writes the record
    synthesis.py --markdown BLOCK  prints a block's part of it, for its README"""

import pathlib
import re
import subprocess
import tempfile

import blocks
import record

RECORD = pathlib.Path(__file__).parent / 'synthesis.json'
RENEW = 'tests/rtl/synthesis.py --renew'
MEANINGS = {'cells': 'cells, gates of at most two inputs, multiplexers and flip-flops',
            'flip_flops': 'of those, flip-flops',
            'longest_path': 'gates on the longest path'}
CELL = re.compile(r'^ +(\$_\w+_) +(\d+)$', re.MULTILINE)
TOTAL = re.compile(r'Number of cells: +(\d+)')
DEPTH = re.compile(r'Longest topological path in \S+ \(length=(\d+)\)')


# Memories as cells: as flip-flops, 4,096 contexts would not end, and say nothing about a RAM.
WITH_MEMORIES = ('synth -flatten -top {} -run begin:fine; memory_collect; opt -fast -full; techmap; '
                 'opt -fast; abc -fast; opt -fast')


def yosys(block, script, tree=blocks.ROOT):
    """What a script prints to `{log}`."""
    defer = '-defer ' if block.memories else ''  # it changes names, and by them what abc makes
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / 'log'
        subprocess.run(
            ['yosys', '-q', '-p',
             f'read_verilog -sv {defer}-DSYNTHESIS -I. {" ".join(blocks.COMMON)} {block.source}; '
             + script.format(log=log)], cwd=tree, check=True, capture_output=True, timeout=600)
        return log.read_text()


def measured(block, tree=blocks.ROOT):
    """At the shipped parameters."""
    synth = WITH_MEMORIES if block.memories else 'synth -flatten -top {}'
    text = yosys(block, synth.format(block.name) +
                 '; tee -q -o {log} stat; tee -q -a {log} ltp -noff', tree)
    flip_flops = sum(int(n) for cell, n in CELL.findall(text) if 'DFF' in cell)
    return {'cells': int(TOTAL.search(text)[1]), 'flip_flops': flip_flops,
            'longest_path': int(DEPTH.search(text)[1])}


def memory_bits(block, parameters):
    """(bits of memories, memories) that yosys finds."""
    sets = ' '.join(f'-set {name} {value}' for name, value in parameters.items())
    text = yosys(block, f'chparam {sets} {block.name}; hierarchy -top {block.name}; proc; flatten; '
                 'opt_clean; tee -q -o {log} stat; memory_collect; '
                 'tee -q -a {log} select -list t:$mem_v2')
    names = [line for line in text.splitlines() if line.startswith(f'{block.name}/')]
    return int(re.search(r'memory bits: +(\d+)', text)[1]), len(names)


def all_measured():
    return {b.name: measured(b) for b in blocks.BLOCKS}


def recorded():
    return record.recorded(RECORD)


def changes(before, after):
    """Each number that differs, as a line."""
    found = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, {}), after.get(name, {})
        found += [f'{name}: {key}: {old.get(key)} before, {new.get(key)} now; {RENEW} renews'
                  for key in MEANINGS if old.get(key) != new.get(key)]
    return found


def markdown(numbers):
    rows = [f'| {meaning} | {numbers[key]:,} |' for key, meaning in MEANINGS.items()]
    return '\n'.join(['| yosys `synth -flatten`, shipped parameters | |', '|---|---|', *rows])


if __name__ == '__main__':
    record.main(__doc__, RECORD, all_measured, changes, markdown)
