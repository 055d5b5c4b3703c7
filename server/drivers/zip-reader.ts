/**
 * Reads uploaded zip files; a fault in any part refuses the complete file (S-73). Limits apply to the bytes that are really unpacked. Names
 * never become paths, and nested archives stay packed.
 */
import { type Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, fromFdPromise, type LocalFileHeader, type ZipFile } from 'yauzl'

export interface ZipLimits {
  entries: number
  /** Maximum unpacked bytes of one file, and of all files. */
  entryBytes: number
  totalBytes: number
}

/** Maximum ratio of unpacked to packed size. */
const maxRatio = 100
/** Files up to this number of bytes may have any ratio, because they are harmless. */
const smallBytes = 64 * 1024

export type ZipFault =
  | 'unreadable'
  /** One of the limits is exceeded: number of files, size of one file, total size, or compression ratio. */
  | 'entries'
  | 'entry'
  | 'total'
  | 'ratio'
  /** The name leads outside the folder, or is not allowed on some systems. */
  | 'name'
  /** The entry is neither a file nor a folder, or is a duplicate. */
  | 'kind'
  | 'encrypted'
  | 'packing'
  | 'contradiction'

export class ZipError extends Error {
  readonly fault: ZipFault
  /** Name of the affected entry. Null if the fault concerns the archive. */
  readonly entry: string | null
  constructor(fault: ZipFault, entry: string | null = null, cause?: unknown) {
    super(fault, { cause })
    this.name = 'ArchiveError'
    this.fault = fault
    this.entry = entry
  }
}

/** Files that operating systems add: resource forks, folder settings, thumbnails. */
function isSystemFile(name: string): boolean {
  const parts = name.toLowerCase().split('/')
  const fileName = parts.pop() ?? ''
  const isOfSystem = /^(\._.*|\.ds_store|thumbs\.db|desktop\.ini)$/s.test(fileName) || parts.includes('__macosx')
  return isOfSystem && !name.includes('..')
}

/** Returns the bytes of each file by name, without system files and without a common top folder. Throws ZipError. */
export async function readZip(bytes: Buffer, limits: ZipLimits): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const storeFile = async ({ name }: ZipEntry, stream: Readable) => void files.set(name, await buffer(stream))
  await walkZip(bytes, limits, storeFile, isSystemFile)
  const [first = ''] = files.keys()
  const folder = /^[^/]+\//.exec(first)?.[0]
  if (folder === undefined || ![...files.keys()].every((name) => name.startsWith(folder))) return files
  return new Map([...files].map(([name, content]) => [name.slice(folder.length), content]))
}

/** A file in an archive. `size` is its declared size; reading more bytes fails. */
export interface ZipEntry {
  name: string
  size: number
}

/**
 * Visits the files of an archive (bytes or a file descriptor) in directory order. All names, kinds and headers are checked before anything
 * is unpacked. `readEntry` must read to the end. Throws ZipError, and errors of `readEntry`.
 */
export async function walkZip(
  source: Buffer | number,
  limits: ZipLimits,
  readEntry: (entry: ZipEntry, stream: Readable) => Promise<void>,
  isIgnored: (name: string) => boolean = () => false,
): Promise<void> {
  const zip = await openZip(source)
  if (zip.entryCount > limits.entries) throw new ZipError('entries')
  // The comment must not contain the signature of a second directory (PK 05 06 in CP437), because other programs would use that directory.
  if (zip.comment.includes('PK♣♠')) throw new ZipError('contradiction')
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry)
  } catch (cause) {
    throw toNameError(cause) ?? new ZipError('unreadable', null, cause)
  }
  const selectedEntries = entries.filter(({ fileName }) => !isIgnored(fileName))
  requireKnownKinds(selectedEntries)
  requireSafeNames(selectedEntries)
  await requireContiguousEntries(zip, entries)
  await unpack(zip, selectedEntries, limits, readEntry)
}

/** Converts an error of the library, which also checks names but reports them only as text. */
function toNameError(cause: unknown): ZipError | null {
  const message = cause instanceof Error ? cause.message : ''
  const [, name] = /^(?:invalid characters in fileName|absolute path|invalid relative path): (.*)$/s.exec(message) ?? []
  return name === undefined ? null : new ZipError('name', name, cause)
}

async function openZip(source: Buffer | number): Promise<ZipFile> {
  const options = { lazyEntries: true, strictFileNames: true, validateEntrySizes: true, autoClose: false }
  try {
    return await (typeof source === 'number' ? fromFdPromise(source, options) : fromBufferPromise(source, options))
  } catch (cause) {
    throw new ZipError('unreadable', null, cause)
  }
}

const storedMethod = 0
const deflatedMethod = 8
const fileKind = 0o100_000
const folderKind = 0o040_000

function requireKnownKinds(entries: readonly Entry[]): void {
  for (const entry of entries) {
    const { fileName } = entry
    if (entry.isEncrypted()) throw new ZipError('encrypted', fileName)
    if (![storedMethod, deflatedMethod].includes(entry.compressionMethod)) throw new ZipError('packing', fileName)
    // Unix programs store the file type in the upper half; other programs store 0.
    const kind = (entry.externalFileAttributes >>> 16) & 0o170_000
    const isFolder = fileName.endsWith('/')
    if (kind !== 0 && kind !== (isFolder ? folderKind : fileKind)) throw new ZipError('kind', fileName)
    if (isFolder && entry.uncompressedSize > 0) throw new ZipError('kind', fileName)
  }
}

const reservedName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const unsafeCharacters = /[\u0000-\u001f\u007f-\u009f<>:"|?*\\\uFFFD%\u200b-\u200f\u202a-\u202e\u2060-\u2069]/

function requireSafeNames(entries: readonly Entry[]): void {
  const seenNames = new Set<string>()
  for (const { fileName } of entries) {
    const segments = fileName.replace(/\/$/, '').split('/')
    const isUnsafeSegment = (segment: string) =>
      segment === '' || segment === '..' || reservedName.test(segment) || /^\.|[. ]$|^ /.test(segment)
    if (fileName.length > 200 || unsafeCharacters.test(fileName) || segments.some(isUnsafeSegment))
      throw new ZipError('name', fileName)
    // Names are compared as on file systems that ignore case or normalise Unicode.
    const normalisedName = segments.join('/').normalize('NFKC').toLowerCase()
    if (seenNames.has(normalisedName)) throw new ZipError('kind', fileName)
    seenNames.add(normalisedName)
  }
  // Refuses a file whose name is also the folder of another file.
  for (const { fileName } of entries)
    for (const otherEntry of entries)
      if (otherEntry.fileName.startsWith(`${fileName}/`)) throw new ZipError('kind', fileName)
}

/** Local headers must match the directory, and the entries must fill the file without gaps or overlaps. */
async function requireContiguousEntries(zip: ZipFile, entries: readonly Entry[]): Promise<void> {
  const sortedEntries = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  let endOfPrevious = 0
  for (const entry of sortedEntries) {
    const header = await readHeader(zip, entry)
    const isSame =
      entry.relativeOffsetOfLocalHeader >= endOfPrevious &&
      entry.relativeOffsetOfLocalHeader - endOfPrevious <= maxDescriptorBytes &&
      header.fileName.equals(entry.fileNameRaw) &&
      header.compressionMethod === entry.compressionMethod &&
      header.generalPurposeBitFlag === entry.generalPurposeBitFlag &&
      hasSameSizes(header, entry)
    if (!isSame) throw new ZipError('contradiction', entry.fileName)
    endOfPrevious = header.fileDataStart + entry.compressedSize
  }
}

/** Maximum size of the optional descriptor after the data, which repeats the sizes. */
const maxDescriptorBytes = 24
const sizesFollowFlag = 0x8

const hasSameSizes = (header: LocalFileHeader, entry: Entry) =>
  (header.generalPurposeBitFlag & sizesFollowFlag) !== 0 ||
  (header.compressedSize === entry.compressedSize &&
    header.uncompressedSize === entry.uncompressedSize &&
    header.crc32 === entry.crc32)

async function readHeader(zip: ZipFile, entry: Entry): Promise<LocalFileHeader> {
  try {
    return await zip.readLocalFileHeaderPromise(entry, {})
  } catch (cause) {
    throw new ZipError('contradiction', entry.fileName, cause)
  }
}

async function unpack(
  zip: ZipFile,
  entries: readonly Entry[],
  limits: ZipLimits,
  readEntry: (entry: ZipEntry, stream: Readable) => Promise<void>,
): Promise<void> {
  let remainingBytes = limits.totalBytes
  for (const entry of entries) {
    const { fileName: name, uncompressedSize: size } = entry
    if (name.endsWith('/')) continue
    // The declared size is checked first. If it is wrong, the library stops at the first byte too many.
    if (size > limits.entryBytes) throw new ZipError('entry', name)
    if (size > Math.max(smallBytes, entry.compressedSize * maxRatio)) throw new ZipError('ratio', name)
    if (size > remainingBytes) throw new ZipError('total', name)
    remainingBytes -= size
    await unpackOne(zip, entry, readEntry)
  }
}

async function unpackOne(
  zip: ZipFile,
  entry: Entry,
  readEntry: (entry: ZipEntry, stream: Readable) => Promise<void>,
): Promise<void> {
  const { fileName: name, uncompressedSize: size } = entry
  const toContradiction = (cause: unknown) => new ZipError('contradiction', name, cause)
  const packedStream = await zip
    .openReadStreamPromise(entry)
    .catch((cause: unknown) => Promise.reject(toContradiction(cause)))
  let checksum = 0
  const checkedStream = new Transform({
    transform(chunk: Buffer, _, done) {
      checksum = crc32(chunk, checksum)
      done(null, chunk)
    },
  })
  packedStream.on('error', (cause) => checkedStream.destroy(toContradiction(cause)))
  try {
    await readEntry({ name, size }, packedStream.pipe(checkedStream))
  } finally {
    packedStream.destroy()
  }
  if (checksum !== entry.crc32) throw new ZipError('contradiction', name)
}
