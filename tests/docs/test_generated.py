"""The generated sections of the READMEs are what the programs print today."""

import pathlib
import unittest

import generated
import tree

PROGRAM = 'build/platforms/fake/fake'


def stale(root):
    if root == tree.ROOT:
        return generated.stale(root, tree.BUILD)
    (root / PROGRAM).chmod(0o755)
    return generated.stale(root, root / 'build')


def readme(body, command='fake --describe=markdown'):
    return {PROGRAM: '#!/bin/sh\necho "printed $1"\n',
            'README.md': f'# x\n<!-- begin generated: {command} -->\n{body}<!-- end generated -->\n'}


class Generated(tree.GuardTest):
    guard = stale

    def test_every_section_is_fresh(self):
        self.assert_clean()

    def test_a_stale_section_is_found(self):
        self.assert_finds('renew.py', readme('of yesterday\n'))

    def test_a_fresh_section_is_accepted(self):
        self.assertEqual(self.found_in(readme('printed --describe=markdown\n')), [])
        self.assertEqual(self.found_in(readme('```text\nprinted --describe=markdown\n```\n')), [])

    def test_a_section_without_a_program_is_found(self):
        self.assert_finds('build it first', readme('', command='absent --describe'))

    def test_a_script_of_the_tree_is_a_program_too(self):
        self.assertEqual(generated.executable('tests/a.py', None), tree.ROOT / 'tests/a.py')
        self.assertEqual(generated.executable('railyard', None), tree.ROOT / 'railyard')

    def test_a_section_without_an_end_is_found(self):
        contents = readme('')
        contents['README.md'] = '<!-- begin generated: fake -->\n'
        self.assert_finds('does not end', contents)

    def test_renewing_writes_what_is_printed_and_keeps_the_rest(self):
        def renew(root):
            (root / PROGRAM).chmod(0o755)
            return generated.renewed(tree.text(root, pathlib.Path('README.md')), root / 'build')
        new = tree.in_tree(readme('```\nold\n```\n'), renew)
        self.assertEqual(new, '# x\n<!-- begin generated: fake --describe=markdown -->\n'
                              '```\nprinted --describe=markdown\n```\n<!-- end generated -->\n')


if __name__ == '__main__':
    unittest.main()
