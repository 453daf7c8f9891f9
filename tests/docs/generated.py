"""Parts of a README.md that a program of ours prints.

    <!-- begin generated: COMMAND -->
    ...
    <!-- end generated -->

COMMAND's first word is a platform, whose executable is taken from the build folder, `railyard`, the
script at the root, or the path of another script of the tree. A section that opens and closes with a code fence keeps it.
"""

import os
import re
import shlex
import subprocess

import tree

SECTION = re.compile(r'(<!-- begin generated: (?P<command>.*?) -->\n)(?P<body>.*?)'
                     r'(<!-- end generated -->)', re.DOTALL)
MARKER = re.compile(r'<!-- (begin|end) generated')
FENCE = re.compile(r'(```\w*\n).*(```\n)', re.DOTALL)


class Unprintable(Exception):
    """A section whose command cannot be run."""


def executable(name, build):
    if name == 'railyard' or '/' in name:
        return tree.ROOT / name
    return build / 'platforms' / name / name


def printed(command, build):
    name, *arguments = shlex.split(command)
    program = executable(name, build)
    if not program.exists():
        raise Unprintable(f'{command}: no {program}; build it first')
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, 'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'})
    if done.returncode != 0:
        raise Unprintable(f'{command}: exit {done.returncode}: {done.stderr}')
    return done.stdout.rstrip('\n') + '\n'


def renewed(readme, build):
    """The text of a README with its sections as the commands print them now."""
    def section(match):
        body = printed(match['command'], build)
        fence = FENCE.fullmatch(match['body'])
        if fence:
            body = fence[1] + body + fence[2]
        return match[1] + body + match[4]

    if len(MARKER.findall(readme)) != 2 * len(SECTION.findall(readme)):
        raise Unprintable('a generated section does not begin or does not end')
    return SECTION.sub(section, readme)


def stale(root, build):
    found = []
    for file in tree.files(root, ('.md',)):
        old = tree.text(root, file)
        try:
            if renewed(old, build) != old:
                found.append(f'{file}: not what the programs print; run tests/docs/renew.py')
        except Unprintable as problem:
            found.append(f'{file}: {problem}')
    return found
