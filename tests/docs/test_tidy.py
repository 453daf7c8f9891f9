"""clang-tidy has nothing to say about our code, the tests' own aside.

Most of a file's time goes to the libraries' headers. So a folder's files are checked together, as one
translation unit that includes them; where there is something to say, or two files give different
things one name, its halves are checked, down to the one file. A clean result is kept in the build
folder under a hash of everything that it depends on: the files, all of our headers that they reach,
the command and .clang-tidy.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

import tree

CHECKED = ('tlm/', 'rtl/', 'hw/', 'sw/', 'platforms/', 'waveforms/', 'tests/support/')
TOGETHER = 16  # files
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


def compiled(path):
    """The files that a compiler's input stands for: itself, or what CMake joined in it."""
    if not re.fullmatch(r'unity_\d+_\w+\.cxx', path.name):
        return [path]
    return [pathlib.Path(f) for f in re.findall(r'^#include "(.*)"$', path.read_text(), re.M)]


def commands():
    """{file: clang options} of each file of ours that the build compiles."""
    database = tree.BUILD / 'compile_commands.json'
    if not database.exists():
        raise FileNotFoundError(f'{database}: configure first')
    found = {}
    for entry in json.loads(database.read_text()):
        for path in compiled(pathlib.Path(entry['file'])):
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


def key(root, files, flags):
    digest = hashlib.sha256(repr(flags).encode())
    for each in [tree.ROOT / '.clang-tidy', *(root / r for f in files for r in reached(root, f))]:
        digest.update(each.read_bytes() + b'\0')
    return digest.hexdigest()


def complaints(root, files, flags):
    """clang-tidy's output about some files, as one; nothing when they are clean."""
    ours = f'^{re.escape(str(root))}/(tlm|rtl|hw|sw|platforms|waveforms|tests)/'
    with tempfile.NamedTemporaryFile('w', suffix='.cpp') as unit:
        unit.writelines(f'#include "{root / f}"\n' for f in files)
        unit.flush()
        done = subprocess.run(
            ['clang-tidy', '--quiet', f'--config-file={tree.ROOT / ".clang-tidy"}',
             f'--header-filter={ours}', unit.name, '--', '-x', 'c++', f'-I{root}', *flags],
            capture_output=True, text=True, check=False)
    if done.returncode == 0 and 'warning:' not in done.stdout:
        return ''
    return done.stdout or done.stderr


def halved(root, files, flags):
    """The complaints about each file that has some."""
    found = complaints(root, files, flags)
    if not found or len(files) == 1:
        return [found] if found else []
    middle = len(files) // 2
    return halved(root, files[:middle], flags) + halved(root, files[middle:], flags)


def checked(root, files, flags):
    stamp = tree.BUILD / 'tidy' / key(root, files, flags)
    if stamp.exists():
        return []
    found = halved(root, files, flags)
    if not found:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return found


def batches(work):
    """[(files, flags)]: those of a folder that are compiled alike."""
    alike = collections.defaultdict(list)
    for file, flags in sorted(work.items()):
        alike[file.parent, tuple(flags)].append(file)
    return [(files[i:i + TOGETHER], flags) for (_, flags), files in alike.items()
            for i in range(0, len(files), TOGETHER)]


def untidy(root):
    if root == tree.ROOT:
        check, work = checked, commands()
    else:
        check, work = halved, {f: ['-std=c++17'] for f in tree.files(root, ('.cpp',))}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda batch: check(root, *batch), batches(work))
    return [f for each in found for f in each]


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

    def test_of_files_checked_together_the_bad_one_is_named(self):
        found = self.found_in({f'tlm/{name}.cpp': f'int* {name} = {value};\n' for name, value in (
            ('a', 'nullptr'), ('b', 'nullptr'), ('c', '0'), ('d', 'nullptr'))})
        self.assertEqual(len(found), 1)
        self.assertIn('tlm/c.cpp:1:', found[0])

    def test_files_that_give_two_things_one_name_are_clean(self):
        self.assertEqual(self.found_in({
            f'tlm/{name}.cpp': f'namespace {{ constexpr int kValue = {value}; }}\n'
            for name, value in (('a', 1), ('b', 2))}), [])

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


class Commands(unittest.TestCase):
    def test_each_file_of_ours_is_compiled_and_so_checked(self):
        ours = {f for f in tree.files(tree.ROOT, ('.cpp',)) if f.as_posix().startswith(CHECKED)}
        self.assertEqual(ours - set(commands()), set())


class Cache(unittest.TestCase):
    def test_the_key_changes_with_a_header_far_below(self):
        keys = set()
        for content in ('int a;', 'int b;'):
            keys.add(tree.in_tree(
                {'tlm/a.cpp': '#include "tlm/b.h"', 'tlm/b.h': '#include "tlm/c.h"',
                 'tlm/c.h': content},
                lambda root: key(root, [pathlib.Path('tlm/a.cpp')], [])))
        self.assertEqual(len(keys), 2)

    def test_a_command_keeps_only_what_clang_needs(self):
        self.assertEqual(
            options('/usr/bin/ccache c++ -DA=1 -I/x -isystem /y -O3 -Wall -fsanitize=address '
                    '-std=c++17 -MD -o a.o -c a.cpp'),
            ['-DA=1', '-I/x', '-isystem', '/y', '-std=c++17'])


if __name__ == '__main__':
    unittest.main()
