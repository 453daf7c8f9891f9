#!/usr/bin/python3
"""The record of what yosys makes of each block: cells, flip-flops, longest logic depth.

    synthesis.py                   compares the record with what yosys makes now
    synthesis.py --renew           writes the record
    synthesis.py --markdown BLOCK  prints a block's part of it, for its README"""

import hashlib
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
LARGER = 256  # contexts of the size class whose depth is told beside the shipped one's
CELL = re.compile(r'^ +(\$_\w+_) +(\d+)$', re.MULTILINE)
TOTAL = re.compile(r'Number of cells: +(\d+)')
DEPTH = re.compile(r'Longest topological path in \S+ \(length=(\d+)\)')


# Memories as cells: as flip-flops, 4,096 contexts would not end, and say nothing about a RAM.
WITH_MEMORIES = ('synth -flatten -top {} -run begin:fine; memory_collect; opt -fast -full; techmap; '
                 'opt -fast; abc -fast; opt -fast')


def yosys(block, script, tree=blocks.ROOT, defer=False):
    """What a script prints to `{log}`."""
    defer = '-defer ' if defer or block.memories else ''  # it changes names, and by them what abc makes
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


def sources_of(block):
    """What a number that is not measured again each time was measured of."""
    files = sorted((blocks.ROOT / block.source).parent.glob(f'{block.name}*.sv*'))
    return hashlib.sha256(b''.join(f.read_bytes() for f in files
                                   if not f.name.endswith('_props.svh'))).hexdigest()[:16]


def measured_at(block, contexts):
    """Of a larger size class, with its memories left as cells: minutes, so a test compares the
    sources alone."""
    text = yosys(block, f'chparam -set NumQps {contexts} {block.name}; ' +
                 WITH_MEMORIES.format(block.name) + '; tee -q -o {log} ltp -noff', defer=True)
    return {'longest_path': int(DEPTH.search(text)[1]), 'sources': sources_of(block)}


def all_measured():
    """Those of the larger class come from the record while the sources are as they were."""
    known, now = recorded(), {}
    for block in blocks.BLOCKS:
        now[block.name] = measured(block)
        if block.sizes:
            old = known.get(block.name, {}).get(str(LARGER), {})
            now[block.name][str(LARGER)] = (old if old.get('sources') == sources_of(block)
                                            else measured_at(block, LARGER))
    return now


def recorded():
    return record.recorded(RECORD)


def changes(before, after):
    """Each number that differs, as a line."""
    found = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, {}), after.get(name, {})
        found += [f'{name}: {key}: {old.get(key)} before, {new.get(key)} now; {RENEW} renews'
                  for key in (*MEANINGS, str(LARGER)) if old.get(key) != new.get(key)]
    return found


def markdown(numbers):
    rows = [f'| {meaning} | {numbers[key]:,} |' for key, meaning in MEANINGS.items()]
    if str(LARGER) in numbers:
        rows.append(f'| gates on the longest path at {LARGER} contexts, memories as cells | '
                    f'{numbers[str(LARGER)]["longest_path"]:,} |')
    return '\n'.join(['| yosys `synth -flatten`, shipped parameters | |', '|---|---|', *rows])


if __name__ == '__main__':
    record.main(__doc__, RECORD, all_measured, changes, markdown)
