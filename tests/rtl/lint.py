"""Verilator's warnings about a block."""

import re
import subprocess

import blocks

WAIVERS = 'rtl/common/lint.vlt'
WARNING = re.compile(r'^%(?:Warning|Error)[^\n]*', re.MULTILINE)


def warnings(block, parameters, waivers, tree=blocks.ROOT):
    """The lines of warnings and errors."""
    command = ['verilator', '--lint-only', '-Wall', '--assert', '-I.', '--top-module', block.name,
               *(f'-G{name}={value}' for name, value in parameters.items()),
               # Whole paths, as the build gives them: waivers match those.
               *(str(tree / file) for file in (waivers, *blocks.COMMON, block.source))]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False,
                          timeout=60)
    found = WARNING.findall(done.stderr)
    return found or ([done.stderr] if done.returncode != 0 else [])


def waivers_of(text):
    """(line number, line, whether a comment stands above it) of each waiver."""
    found, reason = [], False
    for number, line in enumerate(text.splitlines()):
        if line.startswith('lint_off'):
            found.append((number, line, reason))
        elif line.startswith('//'):
            reason = True
        elif not line.strip():
            reason = False  # a comment is of the waivers that follow it at once
    return found


def without(text, number):
    return ''.join(line for n, line in enumerate(text.splitlines(keepends=True)) if n != number)
