"""Verilator -Wall has nothing to say about a block at any of its parameters, each waiver has a reason
and is needed, and the README names all ports and registers."""

import pathlib
import re
import tempfile
import unittest

import blocks
import lint


def needed(text):
    """Whether any block warns with these waivers."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'lint.vlt'
        file.write_text(text)
        return any(lint.warnings(b, {}, file) for b in blocks.BLOCKS)


class Lint(unittest.TestCase):
    def test_no_block_has_a_warning_at_any_of_its_parameters(self):
        for block in blocks.BLOCKS:
            self.assertGreaterEqual(len(block.lint), 2, block.name)
            for parameters in ({}, *block.lint):
                with self.subTest(block=block.name, parameters=parameters):
                    self.assertEqual(lint.warnings(block, parameters, lint.WAIVERS), [])

    def test_parameters_that_do_not_fit_are_refused(self):
        for block in blocks.BLOCKS:
            for parameters in block.refused:
                with self.subTest(block=block.name, parameters=parameters):
                    found = lint.warnings(block, parameters, lint.WAIVERS)
                    self.assertTrue(any('$fatal' in f or 'fit' in f for f in found), found)


class Readme(unittest.TestCase):
    def test_the_readme_of_a_folder_names_every_port_and_register_of_its_blocks(self):
        for block in blocks.BLOCKS:
            source = (blocks.ROOT / block.source).read_text(encoding='utf-8')
            readme = (blocks.ROOT / block.source).with_name('README.md').read_text(encoding='utf-8')
            part = readme.split(f'\n## {block.name}\n')[1].split('\n## ')[0]
            names = set(re.findall(r'^ +(?:input|output) [^/;]*?(\w+)(?:,|$| *//)', source,
                                   re.MULTILINE)) | set(re.findall(r'\b(\w+_q) +<=', source))
            names -= {'clk_i', 'rst_ni'}
            self.assertGreater(len(names), 10, block.name)
            missing = {name for name in names if f'`{name}`' not in part}
            self.assertEqual(missing, set(), block.name)


class Waivers(unittest.TestCase):
    text = (blocks.ROOT / lint.WAIVERS).read_text(encoding='utf-8')

    def test_each_has_a_reason(self):
        waivers = lint.waivers_of(self.text)
        self.assertTrue(waivers)
        self.assertEqual([line for _, line, reason in waivers if not reason], [])

    def test_each_is_needed(self):
        self.assertFalse(needed(self.text))
        for number, line, _ in lint.waivers_of(self.text):
            with self.subTest(line=line):
                self.assertTrue(needed(lint.without(self.text, number)))

    def test_one_without_a_reason_is_found(self):
        found = lint.waivers_of('`verilator_config\n// Why.\nlint_off -rule A\n\nlint_off -rule B\n')
        self.assertEqual([reason for _, _, reason in found], [True, False])

    def test_one_that_is_not_needed_is_found(self):
        text = self.text + '\n// Why.\nlint_off -rule CASEX\n'
        self.assertFalse(needed(lint.without(text, text.count('\n') - 1)))


if __name__ == '__main__':
    unittest.main()
