"""What the shipped configurations do, made short, has not changed unnoticed."""

import pathlib

import golden_settings
from rdma_case import RdmaCase
import golden


class RdmaGolden(golden.Golden, RdmaCase):
    platform = 'rdma_perf'
    golden_file = pathlib.Path(__file__).with_name('golden.json')
    kept = r'(total|flow\d+|size\d+)\.'
    sets = golden_settings.SHORT


if __name__ == '__main__':
    golden.main(RdmaGolden)
