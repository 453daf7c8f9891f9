"""What the shipped configuration does has not changed unnoticed."""

import pathlib

from link_case import LinkCase
import golden


class LinkGolden(golden.Golden, LinkCase):
    platform = 'link'
    golden_file = pathlib.Path(__file__).with_name('golden.json')


if __name__ == '__main__':
    golden.main(LinkGolden)
