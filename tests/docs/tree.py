"""The repository's own files, as the guards of this folder read them. Standard library alone."""

import os
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get('RAILYARD_BUILD', ROOT / 'build' / 'release'))
NOT_OURS = {'.git', 'build', 'out', '__pycache__'}
CXX = ('.h', '.cpp')

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.[0-9a-fA-F]*|[^\'\\\n])\'', re.DOTALL)


def files(root, suffixes=None):
    """All files under root that are ours, as sorted paths relative to it."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in NOT_OURS]
        found += [pathlib.Path(folder, n).relative_to(root) for n in names]
    return sorted(f for f in found if suffixes is None or f.suffix in suffixes)


def text(root, file):
    return (root / file).read_text(encoding='utf-8')


def includes(source):
    """The (bracket, name, line) of each #include."""
    return [(m[1], m[2], source.count('\n', 0, m.start(2)) + 1) for m in INCLUDE.finditer(source)]


def code(source):
    """The source without its comments and the insides of its strings; lines stay where they are."""
    return COMMENT_OR_STRING.sub(lambda m: '""' + '\n' * m[0].count('\n'), source)


def in_tree(contents, use):
    """use(root) of a temporary tree that is made of {file: content}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, content in contents.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content, encoding='utf-8')
        return use(root)


class GuardTest(unittest.TestCase):
    """A test of a guard: a function from a root to a list of violations."""

    guard = None

    def found_in(self, contents):
        return in_tree(contents, type(self).guard)

    def assert_finds(self, word, contents):
        found = self.found_in(contents)
        self.assertEqual(len(found), 1, found)
        self.assertIn(word, found[0])

    def assert_clean(self):
        found = type(self).guard(ROOT)
        self.assertEqual(found, [], '\n' + '\n'.join(found))
