"""Pictures in PNG, read with the standard library alone: those that renew_views.py makes."""

import struct
import zlib

# Pixels of a picture of GTKWave in Debian's default font: the axis of time, and each line below.
HEADER, ROW = 21, 21


def _chunks(data):
    at = 8
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def _paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def _unfiltered(raw, height, stride, step):
    lines, before = [], bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:][:stride])
        for x in range(stride if kind else 0):
            left = line[x - step] if x >= step else 0
            corner = before[x - step] if x >= step else 0
            add = (left, before[x], (left + before[x]) // 2, _paeth(left, before[x], corner))
            line[x] = (line[x] + add[kind - 1]) & 0xff
        lines.append(line)
        before = line
    return lines


def read(path):
    """(width, height, rows of (red, green, blue)). Not interlaced; RGB, RGBA or a palette."""
    chunks = list(_chunks(path.read_bytes()))
    width, height, depth, kind, _, _, interlaced = struct.unpack('>IIBBBBB', dict(chunks)[b'IHDR'])
    channels = {2: 3, 3: 1, 6: 4}.get(kind)
    if channels is None or interlaced or (depth != 8 and kind != 3):
        raise ValueError(f'{path}: a PNG of a kind that is not read here')
    raw = zlib.decompress(b''.join(data for name, data in chunks if name == b'IDAT'))
    stride = (width * channels * depth + 7) // 8
    lines = _unfiltered(raw, height, stride, max(channels * depth // 8, 1))
    if kind != 3:
        return width, height, [[tuple(line[x:x + 3]) for x in range(0, stride, channels)]
                               for line in lines]
    palette = dict(chunks)[b'PLTE']
    colours = [tuple(palette[i:i + 3]) for i in range(0, len(palette), 3)]
    each = 8 // depth
    return width, height, [[colours[line[x // each] >> (8 - depth * (x % each + 1)) &
                                    ((1 << depth) - 1)] for x in range(width)] for line in lines]


def text(path, keyword):
    """What the picture says of itself under a keyword, or None."""
    for kind, data in _chunks(path.read_bytes()):
        if kind == b'tEXt' and data.split(b'\0')[0] == keyword.encode():
            return data.split(b'\0')[1].decode()
    return None
