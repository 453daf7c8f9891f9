"""What the shipped configurations of a platform do has not changed unnoticed: PLATFORM=incast ...
test_golden.py."""

import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TESTS / 'support'))

import golden  # noqa: E402
from platform_run import PlatformCase  # noqa: E402

PLATFORM = os.environ['PLATFORM']


class FabricGolden(golden.Golden, PlatformCase):
    platform = PLATFORM
    executable = os.environ[PLATFORM.upper()]
    golden_file = TESTS / 'platforms' / PLATFORM / 'golden.json'
    kept = r'(total|flow\d+)\.|[^.]+\.(dropped_frames|buffer_peak_bytes)$'
    codes = {'ring_deadlock.yaml': 3}
    sets = {name: {'until': '1ms', 'warm_up': '500us', 'expect': []}
            for name in ('dcqcn_reference.yaml', 'dcqcn_nics.yaml')}

    def renewal(self):
        return f'PLATFORM={PLATFORM} {super().renewal()}'


if __name__ == '__main__':
    golden.main(FabricGolden)
