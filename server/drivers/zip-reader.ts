/**
 * Zip files that somebody sent (S-73): read whole or refused whole, by what really comes out of them and not by what they say of
 * themselves. Nothing is ever written to a path of theirs, and what is packed inside what is packed stays so.
 */
import { type Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, fromFdPromise, type LocalFileHeader, type ZipFile } from 'yauzl'

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
  /** More than the limits let in: of files, in one file, in all, and out of too little. */
  | 'entries'
  | 'entry'
  | 'total'
  | 'ratio'
  /** A name that leads elsewhere, or that some system cannot hold. */
  | 'name'
  /** Neither a file nor a folder, or the same one twice. */
  | 'kind'
  /** Locked with a password. */
  | 'encrypted'
  /** Packed in a way that we do not unpack. */
  | 'packing'
  /** Its parts contradict each other. */
  | 'contradiction'

export class ArchiveError extends Error {
  readonly fault: ArchiveFault
  /** The file in it that it is about; null: about the whole. */
  readonly entry: string | null
  constructor(fault: ArchiveFault, entry: string | null = null, cause?: unknown) {
    super(fault, { cause })
    this.name = 'ArchiveError'
    this.fault = fault
    this.entry = entry
  }
}

/** What systems put beside the files that somebody packs: resource forks, views of folders, pictures of them. */
const isSystemFile = (name: string) =>
  /(^|\/)(__MACOSX\/.*|\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$/i.test(name) && !name.includes('..')

/**
 * Name -> bytes, of files alone. Files of the system are left out, and so is the one folder in which all others lie. Throws ArchiveError.
 */
export async function readArchive(bytes: Buffer, limits: ArchiveLimits): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const take = async ({ name }: ArchiveEntry, stream: Readable) => void files.set(name, await buffer(stream))
  await walkArchive(bytes, limits, take, isSystemFile)
  const [first = ''] = files.keys()
  const folder = /^[^/]+\//.exec(first)?.[0]
  if (folder === undefined || ![...files.keys()].every((name) => name.startsWith(folder))) return files
  return new Map([...files].map(([name, content]) => [name.slice(folder.length), content]))
}

/** A file in an archive; `size` is what it says of itself, and no more bytes come out of it. */
export interface ArchiveEntry {
  name: string
  size: number
}

/**
 * Goes through the files of an archive in memory, or of an open file, in the order of its list. Names, kinds and headers of all are
 * looked at before the first one is unpacked. `take` reads the stream to its end. `ignores`: names of files that are not unpacked. Throws
 * ArchiveError, and what `take` throws.
 */
export async function walkArchive(
  source: Buffer | number,
  limits: ArchiveLimits,
  take: (entry: ArchiveEntry, stream: Readable) => Promise<void>,
  ignores: (name: string) => boolean = () => false,
): Promise<void> {
  const zip = await open(source)
  if (zip.entryCount > limits.entries) throw new ArchiveError('entries')
  // A comment is taken, and not the end of a second list of files (PK 05 06, read as CP437) that another program would find in it.
  if (zip.comment.includes('PK♣♠')) throw new ArchiveError('contradiction')
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry)
  } catch (cause) {
    throw asNameFault(cause) ?? new ArchiveError('unreadable', null, cause)
  }
  const meant = entries.filter(({ fileName }) => !ignores(fileName))
  requireKnownKinds(meant)
  requireSafeNames(meant)
  await requireOneAfterTheOther(zip, entries)
  await unpack(zip, meant, limits, take)
}

/** The reader looks at names as well, and says so in words alone. */
function asNameFault(cause: unknown): ArchiveError | null {
  const said = cause instanceof Error ? cause.message : ''
  const [, name] = /^(?:invalid characters in fileName|absolute path|invalid relative path): (.*)$/s.exec(said) ?? []
  return name === undefined ? null : new ArchiveError('name', name, cause)
}

async function open(source: Buffer | number): Promise<ZipFile> {
  const options = { lazyEntries: true, strictFileNames: true, validateEntrySizes: true, autoClose: false }
  try {
    return await (typeof source === 'number' ? fromFdPromise(source, options) : fromBufferPromise(source, options))
  } catch (cause) {
    throw new ArchiveError('unreadable', null, cause)
  }
}

const stored = 0
const deflated = 8
const fileKind = 0o100_000
const folderKind = 0o040_000

function requireKnownKinds(entries: readonly Entry[]): void {
  for (const entry of entries) {
    const { fileName } = entry
    if (entry.isEncrypted()) throw new ArchiveError('encrypted', fileName)
    if (![stored, deflated].includes(entry.compressionMethod)) throw new ArchiveError('packing', fileName)
    // What a Unix made says in the upper half what it is; others say nothing there.
    const kind = (entry.externalFileAttributes >>> 16) & 0o170_000
    const isFolder = fileName.endsWith('/')
    if (kind !== 0 && kind !== (isFolder ? folderKind : fileKind)) throw new ArchiveError('kind', fileName)
    if (isFolder && entry.uncompressedSize > 0) throw new ArchiveError('kind', fileName)
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
    if (fileName.length > 200 || unsafe.test(fileName) || parts.some(isWrong)) throw new ArchiveError('name', fileName)
    // As systems see it that know no capitals, or compose letters their own way.
    const folded = parts.join('/').normalize('NFKC').toLowerCase()
    if (seen.has(folded)) throw new ArchiveError('kind', fileName)
    seen.add(folded)
  }
  // A file whose name is also a folder of another one.
  for (const { fileName } of entries)
    for (const other of entries) if (other.fileName.startsWith(`${fileName}/`)) throw new ArchiveError('kind', fileName)
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
    if (!isSame) throw new ArchiveError('contradiction', entry.fileName)
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
    throw new ArchiveError('contradiction', entry.fileName, cause)
  }
}

async function unpack(
  zip: ZipFile,
  entries: readonly Entry[],
  limits: ArchiveLimits,
  take: (entry: ArchiveEntry, stream: Readable) => Promise<void>,
): Promise<void> {
  let room = limits.totalBytes
  for (const entry of entries) {
    const { fileName: name, uncompressedSize: size } = entry
    if (name.endsWith('/')) continue
    // Said honestly: not a byte of it need be unpacked. Said otherwise, the reader stops at the byte that is one too many.
    if (size > limits.entryBytes) throw new ArchiveError('entry', name)
    if (size > Math.max(smallBytes, entry.compressedSize * maxRatio)) throw new ArchiveError('ratio', name)
    if (size > room) throw new ArchiveError('total', name)
    room -= size
    await unpackOne(zip, entry, take)
  }
}

async function unpackOne(
  zip: ZipFile,
  entry: Entry,
  take: (entry: ArchiveEntry, stream: Readable) => Promise<void>,
): Promise<void> {
  const { fileName: name, uncompressedSize: size } = entry
  const wrong = (cause: unknown) => new ArchiveError('contradiction', name, cause)
  const packed = await zip.openReadStreamPromise(entry).catch((cause: unknown) => Promise.reject(wrong(cause)))
  let sum = 0
  const checked = new Transform({
    transform(chunk: Buffer, _, done) {
      sum = crc32(chunk, sum)
      done(null, chunk)
    },
  })
  packed.on('error', (cause) => checked.destroy(wrong(cause)))
  try {
    await take({ name, size }, packed.pipe(checked))
  } finally {
    packed.destroy()
  }
  if (sum !== entry.crc32) throw new ArchiveError('contradiction', name)
}
