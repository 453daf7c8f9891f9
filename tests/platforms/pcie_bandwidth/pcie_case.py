"""What the tests of pcie_bandwidth share: its runs, and the closed forms of PCIe written anew."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))

from platform_run import PlatformCase  # noqa: E402

USES = ('data', 'headers', 'dllp', 'skip', 'replay', 'retrain', 'credits', 'ordering', 'acknowledge',
        'tags', 'idle')
REQUEST = 24     # bytes beside the data: framing 4, header of four dwords 16, LCRC 4
COMPLETION = 20  # header of three dwords
MANY_TAGS = {'device__dma__tags': 768, 'host__root__completer__reads_in_flight': 1024}


def raw(generation=5, lanes=16):
    """GB/s of a direction."""
    return {3: 8, 4: 16, 5: 32}[generation] * lanes * 128 / 130 / 8


def cuts(address, size, limit):
    """Requests of a transfer: at most `limit` bytes of whole dwords, none across 4 KiB."""
    pieces = []
    while size > 0:
        piece = min(size, limit - address % 4, 4096 - address % 4096)
        pieces.append((address, piece))
        address, size = address + piece, size - piece
    return pieces


def completions(address, size, payload, boundary, at_each):
    """Completions of a request: all but the last end at a boundary."""
    pieces = []
    while size > 0:
        furthest = address // boundary * boundary + boundary
        if not at_each:
            # The last boundary that the payload reaches.
            reach = (address // 4 * 4 + payload) // boundary * boundary
            furthest = max(furthest, reach)
        piece = min(size, furthest - address)
        pieces.append((address, piece))
        address, size = address + piece, size - piece
    return pieces


def on_line(pieces, header):
    """Bytes of TLPs, their data in whole dwords."""
    return sum(header + (address % 4 + size + 3) // 4 * 4 for address, size in pieces)


def write_ceiling(size, offset=0, payload=256, line=raw()):
    return line * size / on_line(cuts(offset, size, payload), REQUEST)


def read_ceiling(size, offset=0, payload=256, request=512, boundary=64, at_each=False, line=raw()):
    down = sum(on_line(completions(*piece, payload, boundary, at_each), COMPLETION)
               for piece in cuts(offset, size, request))
    return line * size / down


class PcieCase(PlatformCase):
    executable = os.environ['PCIE_BANDWIDTH']

    def run_pcie(self, *arguments, **settings):
        """The default configuration without its expectations."""
        return self.run_platform('--no-expect', *arguments, **settings)

    def run_sizes(self, pattern, sizes, *arguments, **settings):
        texts = ', '.join(f'{size}B' for size in sizes)
        return self.run_pcie(*arguments, traffic__pattern=pattern,
                             traffic__sizes=f'[{texts}]', **settings)
