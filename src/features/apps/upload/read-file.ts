/**
 * What is in a package, read by the browser before a byte is sent, also without a line (contracts 4, 5). The server reads it again
 * and by more rules: what is found here is only told sooner.
 */
import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { BlobReader, type FileEntry, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { type Manifest, readManifest } from '#domain/checks/manifest-checks.ts'
import { maxPixels, readImageSize } from '#domain/images.ts'
import {
  faultOf,
  isMappName,
  mappFiles,
  mappLimits,
  type MappFault,
  type MappFaultCode,
} from '#domain/catalogue/mapp.ts'

export interface LocalPackage {
  md5: string
  sha256: string
  manifest: Manifest
  icon: Blob | null
  /** Markdown, as it was written. */
  changeLog: string | null
}
/** `unreadable`: the file was changed or taken away while it was read. */
export type ReadFile = { found: LocalPackage } | { fault: MappFault } | { unreadable: true }

class Refused extends Error {
  readonly fault: MappFault
  constructor(code: MappFaultCode, named?: string) {
    super(code)
    this.fault = faultOf(code, named)
  }
}

/** Never rejects. */
export async function readFile(file: File): Promise<ReadFile> {
  try {
    return { found: await packageIn(file) }
  } catch (error) {
    if (error instanceof Refused) return { fault: error.fault }
    // Whether it is the file that is gone, or what is in it that is wrong.
    return (await isReadable(file)) ? { fault: faultOf(codeOf(error)) } : { unreadable: true }
  }
}

const isReadable = (file: File) =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(() => true)
    .catch(() => false)

/** As the library calls them (`ERR_…` of zip.js). */
const codeOf = (error: unknown): MappFaultCode => {
  const said = error instanceof Error ? error.message : ''
  if (/format is not recognized|End of central directory not found/i.test(said)) return 'NO_ZIP'
  if (/unsafe filename/i.test(said)) return 'UNSAFE_NAME'
  return /encrypt/i.test(said) ? 'ENCRYPTED' : 'DAMAGED'
}

async function packageIn(file: File): Promise<LocalPackage> {
  if (!isMappName(file.name)) throw new Refused('WRONG_ENDING')
  if (file.size === 0) throw new Refused('FILE_EMPTY')
  if (file.size > mappLimits.packed) throw new Refused('FILE_TOO_LARGE')
  const digests = await digestsOf(file)
  const reader = new ZipReader(new BlobReader(file), { useWebWorkers: false })
  try {
    return { ...digests, ...(await contentOf(reader)) }
  } finally {
    await reader.close().catch(() => undefined)
  }
}

/** A piece of it takes less time than a frame or two; between them the page is drawn. */
const sliceBytes = 1024 * 1024

async function digestsOf(file: File) {
  const [short, long] = [md5.create(), sha256.create()]
  for (let from = 0; from < file.size; from += sliceBytes) {
    const bytes = new Uint8Array(await file.slice(from, from + sliceBytes).arrayBuffer())
    short.update(bytes)
    long.update(bytes)
    await new Promise((next) => setTimeout(next))
  }
  return { md5: bytesToHex(short.digest()), sha256: bytesToHex(long.digest()) }
}

async function contentOf(reader: ZipReader<unknown>) {
  const entries = (await reader.getEntries()).filter((entry): entry is FileEntry => !entry.directory)
  if (entries.length > mappLimits.entries) throw new Refused('TOO_MANY_ENTRIES')
  requireSizes(entries)
  const text = await held(entries, mappFiles.manifest, mappLimits.manifest, 'MANIFEST_TOO_LARGE')
  if (!text) throw new Refused('MANIFEST_MISSING')
  const read = readManifest(textOf(text, 'MANIFEST_NO_JSON'))
  if ('fault' in read) throw new Refused(read.fault.code, read.fault.named)
  await compare(read.manifest, entries)
  const icon = await held(entries, mappFiles.icon, mappLimits.icon, 'ICON_TOO_LARGE')
  if (icon) requirePng(icon)
  const changeLog = await held(entries, mappFiles.changeLog, mappLimits.changeLog, 'CHANGE_LOG_TOO_LARGE')
  return {
    manifest: read.manifest,
    icon: icon && new Blob([icon], { type: 'image/png' }),
    changeLog: changeLog && textOf(changeLog, 'CHANGE_LOG_NO_TEXT'),
  }
}

/** Also for our own sake: its preview is drawn. */
function requirePng(icon: Uint8Array): void {
  const { format, width, height } = readImageSize(icon) ?? { format: null, width: 0, height: 0 }
  if (format !== 'png' || width * height === 0 || width * height > maxPixels) throw new Refused('ICON_NO_PNG')
}

/** So little cannot hurt, however much is made of it. */
const smallBytes = 64 * 1024

/** What an entry says of itself, before any is unpacked. */
function requireSizes(entries: readonly FileEntry[]): void {
  let room: number = mappLimits.unpacked
  for (const { filename, encrypted, compressionMethod, compressedSize, uncompressedSize } of entries) {
    if (isMacFile(filename)) throw new Refused('MAC_FILES', filename)
    if (encrypted) throw new Refused('ENCRYPTED', filename)
    if (compressionMethod !== 0 && compressionMethod !== 8) throw new Refused('PACKING_UNKNOWN', filename)
    if (uncompressedSize > mappLimits.entry) throw new Refused('ENTRY_TOO_LARGE', filename)
    if (uncompressedSize > Math.max(smallBytes, compressedSize * mappLimits.ratio))
      throw new Refused('UNPACKS_TOO_MUCH', filename)
    if (uncompressedSize > room) throw new Refused('UNPACKED_TOO_LARGE')
    room -= uncompressedSize
  }
}

/** What a Mac puts beside files: resource forks and views of folders (D88). */
const isMacFile = (name: string) => /(^|\/)(__MACOSX(\/|$)|\._|\.DS_Store$)/i.test(name)

async function held(
  entries: readonly FileEntry[],
  name: string,
  most: number,
  fault: MappFaultCode,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const entry = entries.find(({ filename }) => filename === name)
  if (!entry) return null
  if (entry.uncompressedSize > most) throw new Refused(fault)
  return await unpacked(entry)
}

const unpacked = async (entry: FileEntry) =>
  (await entry.getData(new Uint8ArrayWriter(), {
    useWebWorkers: false,
    checkSignature: true,
  })) as Uint8Array<ArrayBuffer>

/** Larger packages are hashed by the server alone: here it would only take battery. */
const hashedBytes = 16 * 1024 * 1024

async function compare({ files }: Manifest, entries: readonly FileEntry[]): Promise<void> {
  const own = entries.filter(({ filename }) => filename !== mappFiles.manifest)
  const stray = own.find(({ filename }) => !Object.hasOwn(files, filename))
  if (stray) throw new Refused('FILE_NOT_LISTED', stray.filename)
  const there = new Set(own.map(({ filename }) => filename))
  const missing = Object.keys(files).find((name) => !there.has(name))
  if (missing !== undefined) throw new Refused('FILE_MISSING', missing)
  if (own.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0) > hashedBytes) return
  for (const entry of own) {
    const digest = await crypto.subtle.digest('SHA-256', await unpacked(entry))
    if (bytesToHex(new Uint8Array(digest)) !== files[entry.filename]) throw new Refused('WRONG_HASH', entry.filename)
  }
}

function textOf(bytes: Uint8Array, fault: MappFaultCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Refused(fault)
  }
}
