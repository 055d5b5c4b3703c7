/** Zip files for tests: sound ones by the library that packs ours, others by changing bytes of those. */
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

interface ZipEntry {
  name: string
  bytes: Buffer | string
  /** As Unix keeps it. */
  mode?: number
  isStored?: boolean
  /** Of packing: 1 is the quickest. */
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

/** Every place of `from` holds `to` instead, which is as long. */
export function swapText(bytes: Buffer, from: string, to: string): Buffer {
  const text = bytes.toString('latin1')
  if (from.length !== to.length || !text.includes(from)) throw new Error('the bytes would not stay where they are')
  return Buffer.from(text.replaceAll(from, to), 'latin1')
}

/** Where the n-th header of that kind begins. */
export function findHeader(bytes: Buffer, kind: 'local' | 'central' | 'end', nth = 0): number {
  const signature = Buffer.from({ local: 'PK\u0003\u0004', central: 'PK\u0001\u0002', end: 'PK\u0005\u0006' }[kind])
  let offset = -1
  for (let count = 0; count <= nth; count++) {
    offset = bytes.indexOf(signature, offset + 1)
    if (offset < 0) throw new Error('there is no such header')
  }
  return offset
}

/** A copy in which that number stands, little end first. */
export function writeNumber(bytes: Buffer, offset: number, value: number, size: 2 | 4): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUIntLE(value, offset, size)
  return copy
}
