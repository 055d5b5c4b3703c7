/**
 * Reads a package in the browser before it is sent, also offline (contracts 4, 5). It only finds faults sooner: the server reads the
 * package again and checks more rules.
 */
import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { BlobReader, type FileEntry, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { type AppManifest, readManifest } from '#domain/checks/manifest-checks.ts'
import { maxPixels, readImageSize } from '#domain/images.ts'
import {
  createMappFault,
  isMappName,
  mappFiles,
  mappLimits,
  type MappFault,
  type MappFaultCode,
} from '#domain/catalogue/mapp.ts'

export interface LocalPackage {
  md5: string
  sha256: string
  manifest: AppManifest
  icon: Blob | null
  /** Markdown source. */
  changeLog: string | null
}
/** `unreadable`: the file was changed or deleted while it was read. */
export type ReadFileResult = { localPackage: LocalPackage } | { fault: MappFault } | { unreadable: true }

class PackageFaultError extends Error {
  readonly fault: MappFault
  constructor(code: MappFaultCode, fileName?: string) {
    super(code)
    this.fault = createMappFault(code, fileName)
  }
}

/** Reads a package. Never rejects: a fault is part of the result. */
export async function readFile(file: File): Promise<ReadFileResult> {
  try {
    return { localPackage: await readPackage(file) }
  } catch (error) {
    if (error instanceof PackageFaultError) return { fault: error.fault }
    // Either the file was deleted or changed, or its content is not a valid package.
    return (await isReadable(file)) ? { fault: createMappFault(toFaultCode(error)) } : { unreadable: true }
  }
}

const isReadable = (file: File) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(() => true)
    .catch(() => false)

/** Recognises the errors of zip.js (`ERR_…`) by their messages. */
const toFaultCode = (error: unknown): MappFaultCode => {
  const message = error instanceof Error ? error.message : ''
  if (/format is not recognized|End of central directory not found/i.test(message)) return 'NO_ZIP'
  if (/unsafe filename/i.test(message)) return 'UNSAFE_NAME'
  return /encrypt/i.test(message) ? 'ENCRYPTED' : 'DAMAGED'
}

async function readPackage(file: File): Promise<LocalPackage> {
  if (!isMappName(file.name)) throw new PackageFaultError('WRONG_ENDING')
  if (file.size === 0) throw new PackageFaultError('FILE_EMPTY')
  if (file.size > mappLimits.packed) throw new PackageFaultError('FILE_TOO_LARGE')
  const digests = await hashFile(file)
  const reader = new ZipReader(new BlobReader(file), { useWebWorkers: false })
  try {
    return { ...digests, ...(await readContents(reader)) }
  } finally {
    await reader.close().catch(() => undefined)
  }
}

/** Number of bytes that are hashed before the page can be drawn again. Hashing them takes one or two frames. */
const sliceBytes = 1024 * 1024

async function hashFile(file: File) {
  const [md5Hash, sha256Hash] = [md5.create(), sha256.create()]
  for (let from = 0; from < file.size; from += sliceBytes) {
    const bytes = new Uint8Array(await file.slice(from, from + sliceBytes).arrayBuffer())
    md5Hash.update(bytes)
    sha256Hash.update(bytes)
    await new Promise((next) => setTimeout(next))
  }
  return { md5: bytesToHex(md5Hash.digest()), sha256: bytesToHex(sha256Hash.digest()) }
}

async function readContents(reader: ZipReader<unknown>) {
  const entries = (await reader.getEntries()).filter((entry): entry is FileEntry => !entry.directory)
  if (entries.length > mappLimits.entries) throw new PackageFaultError('TOO_MANY_ENTRIES')
  requireSizes(entries)
  const manifestBytes = await readEntry(entries, mappFiles.manifest, mappLimits.manifest, 'MANIFEST_TOO_LARGE')
  if (!manifestBytes) throw new PackageFaultError('MANIFEST_MISSING')
  const manifestResult = readManifest(decodeText(manifestBytes, 'MANIFEST_NO_JSON'))
  if ('fault' in manifestResult) throw new PackageFaultError(manifestResult.fault.code, manifestResult.fault.named)
  await compareHashes(manifestResult.manifest, entries)
  const icon = await readEntry(entries, mappFiles.icon, mappLimits.icon, 'ICON_TOO_LARGE')
  if (icon) requirePng(icon)
  const changeLog = await readEntry(entries, mappFiles.changeLog, mappLimits.changeLog, 'CHANGE_LOG_TOO_LARGE')
  return {
    manifest: manifestResult.manifest,
    icon: icon && new Blob([icon], { type: 'image/png' }),
    changeLog: changeLog && decodeText(changeLog, 'CHANGE_LOG_NO_TEXT'),
  }
}

/** Throws unless the icon is a PNG of at most `maxPixels`. The page itself draws a preview of the icon, so it must not be too large. */
function requirePng(icon: Uint8Array): void {
  const { format, width, height } = readImageSize(icon) ?? { format: null, width: 0, height: 0 }
  if (format !== 'png' || width * height === 0 || width * height > maxPixels) throw new PackageFaultError('ICON_NO_PNG')
}

/** Maximum unpacked size of an entry that may have any compression ratio, bytes. An entry this small does no harm. */
const maxUncheckedBytes = 64 * 1024

function requireSizes(entries: readonly FileEntry[]): void {
  let remainingBytes: number = mappLimits.unpacked
  for (const { filename, encrypted, compressionMethod, compressedSize, uncompressedSize } of entries) {
    if (isMacFile(filename)) throw new PackageFaultError('MAC_FILES', filename)
    if (encrypted) throw new PackageFaultError('ENCRYPTED', filename)
    if (compressionMethod !== 0 && compressionMethod !== 8) throw new PackageFaultError('PACKING_UNKNOWN', filename)
    if (uncompressedSize > mappLimits.entry) throw new PackageFaultError('ENTRY_TOO_LARGE', filename)
    if (uncompressedSize > Math.max(maxUncheckedBytes, compressedSize * mappLimits.ratio))
      throw new PackageFaultError('UNPACKS_TOO_MUCH', filename)
    if (uncompressedSize > remainingBytes) throw new PackageFaultError('UNPACKED_TOO_LARGE')
    remainingBytes -= uncompressedSize
  }
}

/** Files that macOS adds to an archive: resource forks and folder views (D88). */
const isMacFile = (name: string) => /(^|\/)(__MACOSX(\/|$)|\._|\.DS_Store$)/i.test(name)

async function readEntry(
  entries: readonly FileEntry[],
  name: string,
  maxBytes: number,
  fault: MappFaultCode,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const entry = entries.find(({ filename }) => filename === name)
  if (!entry) return null
  if (entry.uncompressedSize > maxBytes) throw new PackageFaultError(fault)
  return await unpackEntry(entry)
}

const unpackEntry = async (entry: FileEntry) =>
  (await entry.getData(new Uint8ArrayWriter(), {
    useWebWorkers: false,
    checkSignature: true,
  })) as Uint8Array<ArrayBuffer>

/**
 * Maximum total size of entries that this device compares with the hashes in the manifest, bytes. For larger packages, only the server
 * compares them, to save battery.
 */
const maxHashedBytes = 16 * 1024 * 1024

async function compareHashes({ files }: AppManifest, entries: readonly FileEntry[]): Promise<void> {
  const listedEntries = entries.filter(({ filename }) => filename !== mappFiles.manifest)
  const unlistedEntry = listedEntries.find(({ filename }) => !Object.hasOwn(files, filename))
  if (unlistedEntry) throw new PackageFaultError('FILE_NOT_LISTED', unlistedEntry.filename)
  const presentNames = new Set(listedEntries.map(({ filename }) => filename))
  const missingName = Object.keys(files).find((name) => !presentNames.has(name))
  if (missingName !== undefined) throw new PackageFaultError('FILE_MISSING', missingName)
  if (listedEntries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0) > maxHashedBytes) return
  for (const entry of listedEntries) {
    const digest = await crypto.subtle.digest('SHA-256', await unpackEntry(entry))
    if (bytesToHex(new Uint8Array(digest)) !== files[entry.filename])
      throw new PackageFaultError('WRONG_HASH', entry.filename)
  }
}

function decodeText(bytes: Uint8Array, fault: MappFaultCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PackageFaultError(fault)
  }
}
