/**
 * Zip files that somebody sent (S-73): read whole into memory or refused whole, by what really comes out of them and not by what
 * they say of themselves. Nothing is ever written to a path of theirs, and what is packed inside what is packed stays so.
 */
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, type LocalFileHeader, type ZipFile } from 'yauzl'

export interface ArchiveLimits {
  entries: number
  /** Bytes of one file and of all, unpacked. */
  entryBytes: number
  totalBytes: number
}

/** How much more may come out than went in. */
const maxRatio = 100
/** So little cannot hurt, whatever the ratio. */
const smallBytes = 64 * 1024

export type ArchiveFault =
  /** No zip file, or a damaged one. */
  | 'unreadable'
  /** More than the limits let in. */
  | 'large'
  /** A name that leads elsewhere, or that some system cannot hold. */
  | 'name'
  /** Neither a file nor a folder, or the same one twice. */
  | 'kind'
  /** Locked with a password, or packed in a way that we do not unpack. */
  | 'packing'
  /** Its parts contradict each other. */
  | 'contradiction'

export class ArchiveError extends Error {
  readonly fault: ArchiveFault
  constructor(fault: ArchiveFault, cause?: unknown) {
    super(fault, { cause })
    this.name = 'ArchiveError'
    this.fault = fault
  }
}

/** Name -> bytes, of files alone. Throws ArchiveError. */
export async function readArchive(bytes: Buffer, limits: ArchiveLimits): Promise<Map<string, Buffer>> {
  const zip = await open(bytes)
  if (zip.entryCount > limits.entries) throw new ArchiveError('large')
  if (zip.comment.length > 0) throw new ArchiveError('contradiction')
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry)
  } catch (cause) {
    throw new ArchiveError('unreadable', cause)
  }
  requireKnownKinds(entries)
  requireSafeNames(entries)
  await requireOneAfterTheOther(zip, entries)
  return unpack(zip, entries, limits)
}

async function open(bytes: Buffer): Promise<ZipFile> {
  try {
    return await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true, validateEntrySizes: true })
  } catch (cause) {
    throw new ArchiveError('unreadable', cause)
  }
}

const stored = 0
const deflated = 8
const fileKind = 0o100_000
const folderKind = 0o040_000

function requireKnownKinds(entries: readonly Entry[]): void {
  for (const entry of entries) {
    if (entry.isEncrypted() || ![stored, deflated].includes(entry.compressionMethod)) throw new ArchiveError('packing')
    // What a Unix made says in the upper half what it is; others say nothing there.
    const kind = (entry.externalFileAttributes >>> 16) & 0o170_000
    const isFolder = entry.fileName.endsWith('/')
    if (kind !== 0 && kind !== (isFolder ? folderKind : fileKind)) throw new ArchiveError('kind')
    if (isFolder && entry.uncompressedSize > 0) throw new ArchiveError('kind')
  }
}

const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"|?*\\\uFFFD%\u200b-\u200f\u202a-\u202e\u2060-\u2069]/

function requireSafeNames(entries: readonly Entry[]): void {
  const seen = new Set<string>()
  for (const { fileName } of entries) {
    const parts = fileName.replace(/\/$/, '').split('/')
    const isWrong = (part: string) => part === '' || part === '..' || reserved.test(part) || /^\.|[. ]$|^ /.test(part)
    if (fileName.length > 200 || unsafe.test(fileName) || parts.some(isWrong)) throw new ArchiveError('name')
    // As systems see it that know no capitals, or compose letters their own way.
    const folded = parts.join('/').normalize('NFKC').toLowerCase()
    if (seen.has(folded)) throw new ArchiveError('kind')
    seen.add(folded)
  }
  // A file whose name is also a folder of another one.
  for (const { fileName } of entries)
    for (const other of entries) if (other.fileName.startsWith(`${fileName}/`)) throw new ArchiveError('kind')
}

/** Each entry's own header says what the list says, and they fill the file without gap or overlap from its first byte on. */
async function requireOneAfterTheOther(zip: ZipFile, entries: readonly Entry[]): Promise<void> {
  const inOrder = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  let from = 0
  for (const entry of inOrder) {
    const header = await headerOf(zip, entry)
    const isSame =
      entry.relativeOffsetOfLocalHeader >= from &&
      entry.relativeOffsetOfLocalHeader - from <= maxDescriptorBytes &&
      header.fileName.equals(entry.fileNameRaw) &&
      header.compressionMethod === entry.compressionMethod &&
      header.generalPurposeBitFlag === entry.generalPurposeBitFlag &&
      hasSizesOf(header, entry)
    if (!isSame) throw new ArchiveError('contradiction')
    from = header.fileDataStart + entry.compressedSize
  }
}

/** After its bytes an entry may say its sizes once more. */
const maxDescriptorBytes = 24
const sizesFollow = 0x8

const hasSizesOf = (header: LocalFileHeader, entry: Entry) =>
  (header.generalPurposeBitFlag & sizesFollow) !== 0 ||
  (header.compressedSize === entry.compressedSize &&
    header.uncompressedSize === entry.uncompressedSize &&
    header.crc32 === entry.crc32)

async function headerOf(zip: ZipFile, entry: Entry): Promise<LocalFileHeader> {
  try {
    return await zip.readLocalFileHeaderPromise(entry, {})
  } catch (cause) {
    throw new ArchiveError('contradiction', cause)
  }
}

async function unpack(zip: ZipFile, entries: readonly Entry[], limits: ArchiveLimits): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  let room = limits.totalBytes
  for (const entry of entries) {
    if (entry.fileName.endsWith('/')) continue
    const most = Math.min(room, limits.entryBytes, Math.max(smallBytes, entry.compressedSize * maxRatio))
    // Said honestly: not a byte of it need be unpacked. Said otherwise, the reader stops at the byte that is one too many.
    if (entry.uncompressedSize > most) throw new ArchiveError('large')
    const bytes = await bytesOf(zip, entry)
    if (crc32(bytes) !== entry.crc32) throw new ArchiveError('contradiction')
    room -= bytes.length
    files.set(entry.fileName, bytes)
  }
  return files
}

async function bytesOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  try {
    return await buffer(await zip.openReadStreamPromise(entry))
  } catch (cause) {
    throw new ArchiveError('contradiction', cause)
  }
}
