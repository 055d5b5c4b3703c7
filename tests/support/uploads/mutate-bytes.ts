/** Damages valid packages, as a bad connection, a broken tool or an attacker would. */
import { drawBetween, type Random, pick } from '#tests/support/runner/random.ts'

const numbers = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff]
const signatures = [
  'PK\u0001\u0002',
  'PK\u0003\u0004',
  'PK\u0005\u0006',
  'PK\u0006\u0006',
  'PK\u0006\u0007',
  'PK\u0007\b',
]

/** Makes one to eight random changes. Parts of `other`, a second package, may be inserted. */
export function mutateBytes(random: Random, original: Buffer, other: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(original)
  for (let count = pick(random, [1, 1, 1, 2, 3, 8]); count > 0; count--) bytes = changeBytes(random, bytes, other)
  return bytes
}

function changeBytes(random: Random, bytes: Buffer, other: Buffer): Buffer {
  if (bytes.length < 8) return Buffer.from(other)
  // Half of the changes are near one of the ends, because the headers that readers rely on are there.
  const rangeEnd = random() < 0.5 ? Math.min(bytes.length, 400) : bytes.length
  const drawnOffset =
    random() < 0.5 ? drawBetween(random, 0, rangeEnd - 5) : bytes.length - 1 - drawBetween(random, 4, rangeEnd - 1)
  const offset = Math.max(0, drawnOffset)
  const copy = Buffer.from(bytes)
  switch (drawBetween(random, 0, 7)) {
    case 0:
      copy[offset] = drawBetween(random, 0, 255)
      return copy
    case 1:
      copy.writeUInt32LE(pick(random, numbers), offset)
      return copy
    case 2:
      copy.writeUInt16LE(pick(random, numbers) & 0xffff, offset)
      return copy
    case 3:
      return bytes.subarray(0, drawBetween(random, 0, bytes.length))
    case 4: {
      const length = drawBetween(random, 1, 200)
      return Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + length)])
    }
    case 5: {
      const piece = other.subarray(drawBetween(random, 0, other.length - 1)).subarray(0, drawBetween(random, 1, 500))
      return Buffer.concat([bytes.subarray(0, offset), piece, bytes.subarray(offset)])
    }
    case 6:
      Buffer.from(pick(random, signatures), 'latin1').copy(copy, offset)
      return copy
    default:
      // Replaces a name by another one of the same length.
      return Buffer.from(
        bytes
          .toString('latin1')
          .replace(/[a-z]{4}\.[a-z]{2}/, () => pick(random, ['../../a', 'a\0b.png', '/etc/pa', 'C:\\a.bc'])),
        'latin1',
      )
  }
}
