#!/usr/bin/python3
"""Rewrites the generated sections of every README.md from the programs in build/release (or in
$RAILYARD_BUILD)."""

import generated
import tree


def main():
    for file in tree.files(tree.ROOT, ('.md',)):
        old = tree.text(tree.ROOT, file)
        new = generated.renewed(old, tree.BUILD)
        if new != old:
            (tree.ROOT / file).write_text(new, encoding='utf-8')
            print(f'renewed {file}')


if __name__ == '__main__':
    main()
