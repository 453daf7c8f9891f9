#!/usr/bin/python3
"""What yosys makes a memory of, and what flip-flops, in each size class of a block that has them.

    memories.py                   compares the record with what yosys makes now
    memories.py --renew           writes the record
    memories.py --markdown BLOCK  prints a block's part of it, for its README"""

import pathlib
import re
import subprocess
import tempfile

import blocks
import record

RECORD = pathlib.Path(__file__).parent / 'memories.json'
RENEW = 'tests/rtl/memories.py --renew'
BITS = re.compile(r'Number of memory bits: +(\d+)')
FLIP_FLOPS = re.compile(r'\$\w*dff\w*?_(\d+) +(\d+)')


def measured(block, contexts, tree=blocks.ROOT):
    """Before memories are taken apart: full synthesis of thousands of contexts would not end."""
    with tempfile.TemporaryDirectory() as folder:
        bits, cells, names = (pathlib.Path(folder) / name for name in ('bits', 'cells', 'names'))
        subprocess.run(
            ['yosys', '-q', '-p',
             f'read_verilog -sv -DSYNTHESIS -I. -defer {" ".join(blocks.COMMON)} {block.source}; '
             f'chparam -set NumQps {contexts} {block.name}; hierarchy -top {block.name}; proc; '
             f'flatten; opt -full; tee -q -o {bits} stat; synth -run begin:fine; memory_collect; '
             f'tee -q -o {cells} stat -width; tee -q -o {names} select -list t:$mem_v2'],
            cwd=tree, check=True, capture_output=True, timeout=300)
        return {'memories': sorted(n.split('/')[-1] for n in names.read_text().split()),
                'memory_bits': int(BITS.search(bits.read_text())[1]),
                'flip_flops': sum(int(width) * int(count)
                                  for width, count in FLIP_FLOPS.findall(cells.read_text()))}


def all_measured():
    return {b.name: {str(n): measured(b, n) for n in b.sizes} for b in blocks.BLOCKS if b.sizes}


def recorded():
    return record.recorded(RECORD)


def changes(before, after):
    """Each block whose record differs, as a line."""
    return [f'{name}: {before.get(name)} before, {after.get(name)} now; {RENEW} renews'
            for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def names(memories):
    """Their number, if they are too many to name."""
    return len(memories) if len(memories) > 4 else ', '.join(f'`{m}`' for m in memories)


def markdown(sizes):
    rows = [f'| {int(n):,} | {names(numbers["memories"])} | '
            f'{numbers["memory_bits"]:,} | {numbers["flip_flops"]:,} |'
            for n, numbers in sizes.items()]
    return '\n'.join(['| contexts | memories | their bits | flip-flops beside |',
                      '|---|---|---|---|', *rows])


if __name__ == '__main__':
    record.main(__doc__, RECORD, all_measured, changes, markdown)
