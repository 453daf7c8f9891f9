"""clang-format has nothing to say."""

import subprocess
import unittest

import tree

STYLE = f'--style=file:{tree.ROOT / ".clang-format"}'


def misformatted(root):
    names = [str(root / f) for f in tree.files(root, tree.CXX)]
    done = subprocess.run(['clang-format', '--dry-run', '-Werror', STYLE, *names],
                          capture_output=True, text=True, check=False)
    return sorted({line.split(':')[0].removeprefix(f'{root}/') + ': run clang-format -i on it'
                   for line in done.stderr.splitlines() if ': error: ' in line})


class Format(tree.GuardTest):
    guard = misformatted

    def test_every_file_is_formatted(self):
        self.assert_clean()

    def test_a_misformatted_file_is_found(self):
        self.assert_finds('tlm/a.cpp', {'tlm/a.cpp': 'int  a ;\n', 'tlm/b.cpp': 'int b;\n'})


if __name__ == '__main__':
    unittest.main()
