"""What the tests of platforms with tester fabrics share."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / 'support'))

from platform_run import PlatformCase  # noqa: E402


class FabricCase(PlatformCase):
    executable = os.environ['LOAD_BALANCE']

    def run_text(self, text, *arguments, name='run', **settings):
        """One run of a configuration given as text."""
        path = self.folder / f'{name}.yaml'
        path.write_text(text)
        return self.run_platform('--config', path, '--no-expect', *arguments, name=name,
                                 **settings)


def total(run, ending):
    """The sum of all metrics of that last name."""
    return sum(value for name, value in run.metrics.items() if name.endswith('.' + ending))
