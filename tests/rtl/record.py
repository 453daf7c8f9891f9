"""A committed record of numbers that a tool makes of the RTL, and the command line of its keeper."""

import argparse
import json
import sys


def recorded(path):
    return json.loads(path.read_text()) if path.exists() else {}


def main(doc, path, measure_all, changes, markdown):
    """`measure_all()` is a record as it should be now, `changes(before, after)` tells lines, and
    `markdown(entry)` a block's part of it."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument('--renew', action='store_true')
    what.add_argument('--markdown', metavar='BLOCK')
    arguments = parser.parse_args()
    if arguments.markdown:
        print(markdown(recorded(path)[arguments.markdown]))
        return
    now = measure_all()
    found = changes(recorded(path), now)
    print('\n'.join(found) or 'as recorded')
    if arguments.renew:
        path.write_text(json.dumps(now, indent=2) + '\n')
    elif found:
        sys.exit(1)
