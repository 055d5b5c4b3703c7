/**
 * Builds zip files for tests. Valid ones are written by the library that the portal also uses, invalid ones by changing bytes of a valid
 * one.
 */
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

interface ZipEntry {
  name: string
  bytes: Buffer | string
  /** Unix file mode. */
  mode?: number
  isStored?: boolean
  /** Compression level: 1 is the fastest. */
  level?: number
}

export async function zipFiles(files: readonly ZipEntry[], comment?: string): Promise<Buffer> {
  const zip = new ZipFile()
  for (const { name, bytes, mode, isStored, level } of files)
    zip.addBuffer(Buffer.from(bytes as string), name, {
      compress: !isStored,
      ...(level === undefined ? {} : { compressionLevel: level }),
      ...(mode === undefined ? {} : { mode }),
    })
  zip.end({ forceZip64Format: false, comment: comment ?? '' })
  return buffer(zip.outputStream)
}

/** Replaces every occurrence of `from` by `to`, which has the same length. */
export function swapText(bytes: Buffer, from: string, to: string): Buffer {
  const text = bytes.toString('latin1')
  if (from.length !== to.length || !text.includes(from)) throw new Error('the bytes would not stay where they are')
  return Buffer.from(text.replaceAll(from, to), 'latin1')
}

export function findHeader(bytes: Buffer, kind: 'local' | 'central' | 'end', nth = 0): number {
  const signature = Buffer.from({ local: 'PK\u0003\u0004', central: 'PK\u0001\u0002', end: 'PK\u0005\u0006' }[kind])
  let offset = -1
  for (let count = 0; count <= nth; count++) {
    offset = bytes.indexOf(signature, offset + 1)
    if (offset < 0) throw new Error('there is no such header')
  }
  return offset
}

/** Returns a copy with that number written in little-endian order. */
export function writeNumber(bytes: Buffer, offset: number, value: number, size: 2 | 4): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUIntLE(value, offset, size)
  return copy
}
