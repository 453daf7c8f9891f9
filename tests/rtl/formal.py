#!/usr/bin/python3
"""Proofs of a block by yosys and yosys-smtbmc, at the widths of its row in blocks.py.

    formal.py BLOCK   proves one; of what fails it leaves waveforms in out/formal/"""

import pathlib
import re
import shutil
import subprocess
import sys

import blocks

TIMEOUT = 300
WAVEFORMS = {(): 'from_reset.vcd', ('-i',): 'induction.vcd'}
FAILED = re.compile(r'Assert failed in \S+: (?:\S+\.)?(\w+)\.holds')
UNREACHED = re.compile(r'Unreached cover statement at (\S+)\.reached')


class Broken(Exception):
    """A tool that did not do what it was asked."""


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False,
                          timeout=TIMEOUT)
    return done.returncode, done.stdout + done.stderr


def compiled(block, proof, tree, folder, only=None):
    """The SMT2 file of a proof, with the counts of its cells: (path, {type: count}). `only`: of the
    assertions, this one alone."""
    smt2 = folder / f'{block.name}_{proof.name}.smt2'
    read = ' '.join(['read_verilog -sv -formal -defer -DRY_PROPS', '-I.',
                     *(f'-D{d}' for d in proof.defines)])
    sets = ' '.join(f'-set {name} {value}' for name, value in proof.parameters.items())
    top = proof.top or block.name
    count = folder / f'{block.name}_{proof.name}.cells'
    script = [f'{read} {" ".join(blocks.COMMON)} rtl/common/formal.sv {block.source}',
              f'chparam {sets} {top}',
              f'prep -top {top} -flatten', *([f'cutpoint {proof.cut}'] if proof.cut else []),
              'async2sync', 'opt -full', 'dffunmap',
              'setundef -undriven -anyseq',
              f'tee -q -o {count} select -list t:$assert t:$assume t:$cover']
    if only:
        script.append(f't:$assert */*{only}.holds %d')
        script[-1] = f'delete {script[-1]}'
    script.append(f'write_smt2 -wires {smt2}')
    code, text = run(['yosys', '-q', '-p', '; '.join(script)], tree)
    if code != 0:
        raise Broken(f'{block.name}: yosys: {text}')
    cells = count.read_text().split()
    return smt2, {kind: sum(c.endswith(f'.{end}') for c in cells)
                  for kind, end in (('asserts', 'holds'), ('assumes', 'given'),
                                    ('covers', 'reached'))}


def checked(smt2, mode, steps):
    """(whether it passed, the output). z3 decides each query afresh: with its incremental solver the
    same proofs take ten times as long."""
    code, text = run(['yosys-smtbmc', '--noprogress', '-s', 'z3', '--unroll', '--noincr', *mode,
                      '-t', str(steps), '--dump-vcd',
                      str(smt2.with_suffix(f'.{WAVEFORMS.get(mode, "vcd")}')), str(smt2)],
                     smt2.parent)
    passed = code == 0 and 'Status: PASSED' in text
    if not passed and 'Status: FAILED' not in text:
        raise Broken(f'{smt2.name}: yosys-smtbmc: {text}')
    return passed, text


def faults(block, proof, folder, tree=blocks.ROOT):
    """What is wrong with a proof, as lines; none if it holds."""
    smt2, cells = compiled(block, proof, tree, folder)
    found = [f'{kind}: {count} cells, and the table says {getattr(proof, kind)}'
             for kind, count in cells.items() if count != getattr(proof, kind)]
    for what, mode in (('base case', ()), ('induction', ('-i',))):
        passed, text = checked(smt2, mode, proof.steps)
        if not passed:
            found.append(f'{what} of {proof.steps} fails: {sorted(set(FAILED.findall(text)))}')
    if proof.cover_steps and not found:
        passed, text = checked(smt2, ('-c',), proof.cover_steps)
        if not passed:
            found.append(f'not reached in {proof.cover_steps} cycles: {UNREACHED.findall(text)}')
    return [f'{block.name} {proof.name}: {f}' for f in found]


def seeded(bug, folder):
    """A copy of the RTL with the bug in it."""
    tree = pathlib.Path(folder) / 'tree'
    shutil.copytree(blocks.ROOT / blocks.RTL, tree / blocks.RTL)
    file = tree / bug.file
    source = file.read_text(encoding='utf-8')
    if source.count(bug.pattern) != 1:
        raise Broken(f'{bug.file}: "{bug.pattern}" occurs {source.count(bug.pattern)} times')
    file.write_text(source.replace(bug.pattern, bug.replacement), encoding='utf-8')
    return tree


def survives(block, bug, folder):
    """Why a seeded bug is not found by its assertion, or None."""
    tree = seeded(bug, folder)
    proof = next(p for p in block.proofs if p.name == bug.proof)
    smt2, cells = compiled(block, proof, tree, pathlib.Path(folder), only=bug.fails)
    if cells['asserts'] != proof.asserts:
        return f'{bug.file}: "{bug.pattern}": it changes the number of assertions'
    passed, text = checked(smt2, (), bug.steps)
    if passed or bug.fails not in FAILED.findall(text):
        return f'{bug.file}: "{bug.replacement}": {bug.fails} holds for {bug.steps} cycles'
    return None


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in [b.name for b in blocks.BLOCKS]:
        print(__doc__, file=sys.stderr)
        return 2
    folder = blocks.ROOT / 'out' / 'formal'
    folder.mkdir(parents=True, exist_ok=True)
    block = blocks.named(sys.argv[1])
    found = [fault for proof in block.proofs for fault in faults(block, proof, folder)]
    print('\n'.join(found) or f'{block.name}: proved')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
