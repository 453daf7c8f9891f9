"""clang-tidy has nothing to say about our code, the tests' own aside.

A file takes seconds, so a clean result is kept in the build folder under a hash of everything that
it depends on: the file, all of our headers that it reaches, the command and .clang-tidy.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

import tree

CHECKED = ('tlm/', 'rtl/', 'hw/', 'sw/', 'platforms/', 'waveforms/', 'tests/support/')
KEPT_OPTIONS = re.compile(r'-(I|D|isystem|std=)')  # gcc's warnings mean nothing to clang


def options(command):
    """What clang needs of a compiler's command line."""
    kept, words = [], iter(shlex.split(command))
    for word in words:
        if not KEPT_OPTIONS.match(word):
            continue
        kept.append(word)
        if word in ('-I', '-D', '-isystem'):
            kept.append(next(words))
    return kept


def commands():
    """{file: clang options} of each file of ours that the build compiles."""
    database = tree.BUILD / 'compile_commands.json'
    if not database.exists():
        raise FileNotFoundError(f'{database}: configure first')
    found = {}
    for entry in json.loads(database.read_text()):
        path = pathlib.Path(entry['file'])
        if path.is_relative_to(tree.ROOT):
            file = path.relative_to(tree.ROOT)
            if file.as_posix().startswith(CHECKED):
                found[file] = options(entry['command'])
    return found


def reached(root, file):
    """The file and all of our headers that it includes, directly or not."""
    seen, todo = set(), [file]
    while todo:
        current = todo.pop()
        if current in seen or not (root / current).is_file():
            continue
        seen.add(current)
        todo += [pathlib.Path(name) for _, name, _ in tree.includes(tree.text(root, current))]
    return sorted(seen)


def key(root, file, flags):
    digest = hashlib.sha256(repr(flags).encode())
    for each in [tree.ROOT / '.clang-tidy', *(root / f for f in reached(root, file))]:
        digest.update(each.read_bytes() + b'\0')
    return digest.hexdigest()


def complaints(root, file, flags):
    """clang-tidy's output about one file; nothing when it is clean."""
    ours = f'^{re.escape(str(root))}/(tlm|rtl|hw|sw|platforms|waveforms|tests)/'
    done = subprocess.run(
        ['clang-tidy', '--quiet', f'--config-file={tree.ROOT / ".clang-tidy"}',
         f'--header-filter={ours}', str(root / file), '--', '-x', 'c++', f'-I{root}', *flags],
        capture_output=True, text=True, check=False)
    if done.returncode == 0 and 'warning:' not in done.stdout:
        return ''
    return done.stdout or done.stderr


def checked(root, file, flags):
    stamp = tree.BUILD / 'tidy' / key(root, file, flags)
    if stamp.exists():
        return ''
    found = complaints(root, file, flags)
    if not found:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return found


def untidy(root):
    if root == tree.ROOT:
        check, work = checked, commands()
    else:
        check, work = complaints, {f: ['-std=c++17'] for f in tree.files(root, ('.cpp',))}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda item: check(root, *item), sorted(work.items()))
    return [f for f in found if f]


class Tidy(tree.GuardTest):
    guard = untidy

    def test_every_file_is_tidy(self):
        self.assertTrue(commands(), 'no file to check: the test sees nothing')
        self.assert_clean()

    def test_a_bug_in_a_file_is_found(self):
        self.assert_finds('modernize-use-nullptr', {'tlm/a.cpp': 'int* pointer = 0;\n'})

    def test_a_bug_in_a_header_of_ours_is_found(self):
        self.assert_finds('readability-identifier-naming', {
            'tlm/a.h': '#pragma once\nstruct bad_name {};\n', 'tlm/a.cpp': '#include "tlm/a.h"\n'})

    def test_names_of_the_house_style_are_accepted(self):
        self.assertEqual(self.found_in({'tlm/a.cpp': '''
            constexpr int kLimit = 3;
            enum class Stage { kIdle, kBusy };
            struct Protocol { using tlm_payload_type = int; using tlm_phase_type = int; };
            class Port {
             public:
              int in = 0;
              int depth() const { return depth_; }
             private:
              static const int kDepth = 1;
              int depth_ = kLimit + kDepth;
            };\n'''}), [])

    def test_each_name_against_the_house_style_is_found(self):
        for line in ('int BadFunction();', 'constexpr int limit = 3;', 'enum class E { idle };',
                     'class C { int count = 0; };', 'struct S { int count_ = 0; };'):
            with self.subTest(line=line):
                self.assert_finds('readability-identifier-naming', {'tlm/a.cpp': line + '\n'})


class Cache(unittest.TestCase):
    def test_the_key_changes_with_a_header_far_below(self):
        keys = set()
        for content in ('int a;', 'int b;'):
            keys.add(tree.in_tree(
                {'tlm/a.cpp': '#include "tlm/b.h"', 'tlm/b.h': '#include "tlm/c.h"',
                 'tlm/c.h': content},
                lambda root: key(root, pathlib.Path('tlm/a.cpp'), [])))
        self.assertEqual(len(keys), 2)

    def test_a_command_keeps_only_what_clang_needs(self):
        self.assertEqual(
            options('/usr/bin/ccache c++ -DA=1 -I/x -isystem /y -O3 -Wall -fsanitize=address '
                    '-std=c++17 -MD -o a.o -c a.cpp'),
            ['-DA=1', '-I/x', '-isystem', '/y', '-std=c++17'])


if __name__ == '__main__':
    unittest.main()
