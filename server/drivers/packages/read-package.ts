/**
 * The inside of a package, read as a stream: every file is hashed while it is unpacked, and only the manifest, the icon and the
 * change log are held in memory. Nothing is written anywhere. Meant for a process of its own (`process.ts`).
 */
import { createHash } from 'node:crypto'
import { createReadStream, fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { readManifest } from '#domain/checks/manifest-checks.ts'
import type { Manifest } from '#domain/checks/manifest-checks.ts'
import { maxAspect, maxPixels, readImageSize } from '#domain/images.ts'
import { faultOf, mappFiles, mappLimits, type MappFault, type MappFaultCode } from '#domain/catalogue/mapp.ts'
import { ArchiveError, type ArchiveFault, walkArchive } from '#server/drivers/zip-reader.ts'

export interface PackageContent {
  manifest: Manifest
  /** Of the package's own bytes. */
  size: number
  md5: string
  sha256: string
  /** A PNG by its head, as it was sent: not decoded yet. */
  icon: Buffer | null
  /** A whole HTML document. */
  changeLog: string | null
}
export type ReadPackage = { content: PackageContent } | { fault: MappFault }

class Refused extends Error {
  readonly fault: MappFault
  constructor(code: MappFaultCode, named?: string) {
    super(code)
    this.fault = faultOf(code, named)
  }
}

/** A package in memory, or an open file by its number. What is wrong with it is an answer; thrown is only what nobody foresaw. */
export async function readPackage(source: Buffer | number): Promise<ReadPackage> {
  try {
    return { content: await contentOf(source) }
  } catch (error) {
    if (error instanceof Refused) return { fault: error.fault }
    if (error instanceof ArchiveError) return { fault: ofArchive(error) }
    throw error
  }
}

async function contentOf(source: Buffer | number): Promise<PackageContent> {
  const size = typeof source === 'number' ? fstatSync(source).size : source.length
  if (size === 0) throw new Refused('FILE_EMPTY')
  if (size > mappLimits.packed) throw new Refused('FILE_TOO_LARGE')
  const { hashes, held } = await unpacked(source)
  const text = held.get(mappFiles.manifest)
  if (!text) throw new Refused('MANIFEST_MISSING')
  const read = readManifest(textOf(text, 'MANIFEST_NO_JSON'))
  if ('fault' in read) throw new Refused(read.fault.code, read.fault.named)
  compare(new Map(Object.entries(read.manifest.files)), hashes)
  const icon = held.get(mappFiles.icon) ?? null
  if (icon) requirePng(icon)
  const changeLog = held.get(mappFiles.changeLog)
  return {
    manifest: read.manifest,
    size,
    ...(await digestsOf(source)),
    icon,
    changeLog: changeLog ? await written(textOf(changeLog, 'CHANGE_LOG_NO_TEXT')) : null,
  }
}

const limits = {
  entries: mappLimits.entries,
  entryBytes: mappLimits.entry,
  totalBytes: mappLimits.unpacked,
}

const heldFiles: Record<string, { most: number; fault: MappFaultCode }> = {
  [mappFiles.manifest]: { most: mappLimits.manifest, fault: 'MANIFEST_TOO_LARGE' },
  [mappFiles.icon]: { most: mappLimits.icon, fault: 'ICON_TOO_LARGE' },
  [mappFiles.changeLog]: { most: mappLimits.changeLog, fault: 'CHANGE_LOG_TOO_LARGE' },
}

async function unpacked(source: Buffer | number) {
  const hashes = new Map<string, string>()
  const held = new Map<string, Buffer>()
  await walkArchive(source, limits, async ({ name, size }, stream) => {
    const kept = Object.hasOwn(heldFiles, name) ? heldFiles[name] : undefined
    if (kept && size > kept.most) throw new Refused(kept.fault)
    if (isMacFile(name)) throw new Refused('MAC_FILES', name)
    const sum = createHash('sha256')
    const parts: Buffer[] = []
    for await (const part of stream as AsyncIterable<Buffer>) {
      sum.update(part)
      if (kept) parts.push(part)
    }
    hashes.set(name, sum.digest('hex'))
    if (kept) held.set(name, Buffer.concat(parts))
  })
  hashes.delete(mappFiles.manifest)
  return { hashes, held }
}

/** What a Mac puts beside files: resource forks and views of folders (D88). */
const isMacFile = (name: string) => /(^|\/)(__MACOSX(\/|$)|\._|\.DS_Store$)/i.test(name)

function compare(said: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): void {
  for (const [name, hash] of found) {
    const listed = said.get(name)
    if (listed === undefined) throw new Refused('FILE_NOT_LISTED', name)
    if (listed !== hash) throw new Refused('WRONG_HASH', name)
  }
  for (const name of said.keys()) if (!found.has(name)) throw new Refused('FILE_MISSING', name)
}

function requirePng(icon: Buffer): void {
  const { format, width, height } = readImageSize(icon) ?? { format: null, width: 0, height: 0 }
  const isFit =
    format === 'png' &&
    width * height > 0 &&
    width * height <= maxPixels &&
    Math.max(width, height) <= maxAspect * Math.min(width, height)
  if (!isFit) throw new Refused('ICON_NO_PNG')
}

function textOf(bytes: Buffer, fault: MappFaultCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Refused(fault)
  }
}

async function written(markdown: string): Promise<string> {
  if (markdown.includes('\0')) throw new Refused('CHANGE_LOG_NO_TEXT')
  // It is half of what a process loads, and is not needed for a package that is refused before or has no change log.
  const { changeLogPage } = await import('#server/drivers/packages/change-log.ts')
  try {
    return changeLogPage(markdown)
  } catch {
    // Nested deeper than a reader's own stack.
    throw new Refused('CHANGE_LOG_NO_TEXT')
  }
}

async function digestsOf(source: Buffer | number): Promise<{ md5: string; sha256: string }> {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')]
  const parts: Iterable<Buffer> | Readable =
    typeof source === 'number' ? createReadStream('', { fd: source, start: 0, autoClose: false }) : [source]
  for await (const part of parts as AsyncIterable<Buffer>) {
    md5.update(part)
    sha256.update(part)
  }
  return { md5: md5.digest('hex'), sha256: sha256.digest('hex') }
}

const ofFault: Record<ArchiveFault, MappFaultCode> = {
  unreadable: 'NO_ZIP',
  entries: 'TOO_MANY_ENTRIES',
  entry: 'ENTRY_TOO_LARGE',
  total: 'UNPACKED_TOO_LARGE',
  ratio: 'UNPACKS_TOO_MUCH',
  name: 'UNSAFE_NAME',
  kind: 'NO_PLAIN_FILE',
  encrypted: 'ENCRYPTED',
  packing: 'PACKING_UNKNOWN',
  contradiction: 'DAMAGED',
}

const ofArchive = ({ fault, entry }: ArchiveError): MappFault =>
  fault === 'name' && entry !== null && isMacFile(entry)
    ? faultOf('MAC_FILES', entry)
    : faultOf(ofFault[fault], entry ?? undefined)
