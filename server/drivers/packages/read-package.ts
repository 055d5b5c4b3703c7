/**
 * Reads a package as a stream: files are hashed while they are unpacked, and only manifest, icon and change log are held in memory. Writes
 * nothing to the disk. Meant for a separate process (`process.ts`).
 */
import { createHash } from 'node:crypto'
import { createReadStream, fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { readManifest } from '#domain/checks/manifest-checks.ts'
import type { AppManifest } from '#domain/checks/manifest-checks.ts'
import { maxAspect, maxPixels, readImageSize } from '#domain/images.ts'
import { createMappFault, mappFiles, mappLimits, type MappFault, type MappFaultCode } from '#domain/catalogue/mapp.ts'
import { ZipError, type ZipFault, walkZip } from '#server/drivers/zip-reader.ts'

export interface PackageContent {
  manifest: AppManifest
  size: number
  md5: string
  sha256: string
  /** The uploaded file, whose header is that of a PNG. The image is not decoded yet. */
  icon: Buffer | null
  /** Complete HTML document with the change log. */
  changeLog: string | null
}
export type PackageReadResult = { content: PackageContent } | { fault: MappFault }

class PackageRefusal extends Error {
  readonly fault: MappFault
  constructor(code: MappFaultCode, fileName?: string) {
    super(code)
    this.fault = createMappFault(code, fileName)
  }
}

/** `source` is bytes or a file descriptor. Faults of the package are returned; only unexpected errors are thrown. */
export async function readPackage(source: Buffer | number): Promise<PackageReadResult> {
  try {
    return { content: await readContent(source) }
  } catch (error) {
    if (error instanceof PackageRefusal) return { fault: error.fault }
    if (error instanceof ZipError) return { fault: toMappFault(error) }
    throw error
  }
}

async function readContent(source: Buffer | number): Promise<PackageContent> {
  const size = typeof source === 'number' ? fstatSync(source).size : source.length
  if (size === 0) throw new PackageRefusal('FILE_EMPTY')
  if (size > mappLimits.packed) throw new PackageRefusal('FILE_TOO_LARGE')
  const { hashes, bufferedFiles } = await unpackFiles(source)
  const text = bufferedFiles.get(mappFiles.manifest)
  if (!text) throw new PackageRefusal('MANIFEST_MISSING')
  const manifestResult = readManifest(decodeText(text, 'MANIFEST_NO_JSON'))
  if ('fault' in manifestResult) throw new PackageRefusal(manifestResult.fault.code, manifestResult.fault.named)
  compareHashes(new Map(Object.entries(manifestResult.manifest.files)), hashes)
  const icon = bufferedFiles.get(mappFiles.icon) ?? null
  if (icon) requirePng(icon)
  const changeLog = bufferedFiles.get(mappFiles.changeLog)
  return {
    manifest: manifestResult.manifest,
    size,
    ...(await computeDigests(source)),
    icon,
    changeLog: changeLog ? await renderChangeLogPage(decodeText(changeLog, 'CHANGE_LOG_NO_TEXT')) : null,
  }
}

const archiveLimits = {
  entries: mappLimits.entries,
  entryBytes: mappLimits.entry,
  totalBytes: mappLimits.unpacked,
}

const bufferedFileLimits: Record<string, { maxBytes: number; fault: MappFaultCode }> = {
  [mappFiles.manifest]: { maxBytes: mappLimits.manifest, fault: 'MANIFEST_TOO_LARGE' },
  [mappFiles.icon]: { maxBytes: mappLimits.icon, fault: 'ICON_TOO_LARGE' },
  [mappFiles.changeLog]: { maxBytes: mappLimits.changeLog, fault: 'CHANGE_LOG_TOO_LARGE' },
}

async function unpackFiles(source: Buffer | number) {
  const hashes = new Map<string, string>()
  const bufferedFiles = new Map<string, Buffer>()
  await walkZip(source, archiveLimits, async ({ name, size }, stream) => {
    const bufferedFile = Object.hasOwn(bufferedFileLimits, name) ? bufferedFileLimits[name] : undefined
    if (bufferedFile && size > bufferedFile.maxBytes) throw new PackageRefusal(bufferedFile.fault)
    if (isMacFile(name)) throw new PackageRefusal('MAC_FILES', name)
    const hash = createHash('sha256')
    const chunks: Buffer[] = []
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk)
      if (bufferedFile) chunks.push(chunk)
    }
    hashes.set(name, hash.digest('hex'))
    if (bufferedFile) bufferedFiles.set(name, Buffer.concat(chunks))
  })
  hashes.delete(mappFiles.manifest)
  return { hashes, bufferedFiles }
}

/** Files that macOS adds: resource forks and folder settings (D88). */
const isMacFile = (name: string) => /(^|\/)(__MACOSX(\/|$)|\._|\.DS_Store$)/i.test(name)

function compareHashes(listedHashes: ReadonlyMap<string, string>, actualHashes: ReadonlyMap<string, string>): void {
  for (const [name, actualHash] of actualHashes) {
    const listedHash = listedHashes.get(name)
    if (listedHash === undefined) throw new PackageRefusal('FILE_NOT_LISTED', name)
    if (listedHash !== actualHash) throw new PackageRefusal('WRONG_HASH', name)
  }
  for (const name of listedHashes.keys()) if (!actualHashes.has(name)) throw new PackageRefusal('FILE_MISSING', name)
}

function requirePng(icon: Buffer): void {
  const { format, width, height } = readImageSize(icon) ?? { format: null, width: 0, height: 0 }
  const isAccepted =
    format === 'png' &&
    width * height > 0 &&
    width * height <= maxPixels &&
    Math.max(width, height) <= maxAspect * Math.min(width, height)
  if (!isAccepted) throw new PackageRefusal('ICON_NO_PNG')
}

function decodeText(bytes: Buffer, fault: MappFaultCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new PackageRefusal(fault)
  }
}

async function renderChangeLogPage(markdown: string): Promise<string> {
  if (markdown.includes('\0')) throw new PackageRefusal('CHANGE_LOG_NO_TEXT')
  // The renderer is half of the loaded code. Refused packages, and packages without a change log, do not need it.
  const { renderChangeLog } = await import('#server/drivers/packages/change-log.ts')
  try {
    return renderChangeLog(markdown)
  } catch {
    // The text is nested too deeply for the renderer.
    throw new PackageRefusal('CHANGE_LOG_NO_TEXT')
  }
}

async function computeDigests(source: Buffer | number): Promise<{ md5: string; sha256: string }> {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')]
  const chunks: Iterable<Buffer> | Readable =
    typeof source === 'number' ? createReadStream('', { fd: source, start: 0, autoClose: false }) : [source]
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    md5.update(chunk)
    sha256.update(chunk)
  }
  return { md5: md5.digest('hex'), sha256: sha256.digest('hex') }
}

const mappFaultsByZipFault: Record<ZipFault, MappFaultCode> = {
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

const toMappFault = ({ fault, entry }: ZipError): MappFault =>
  fault === 'name' && entry !== null && isMacFile(entry)
    ? createMappFault('MAC_FILES', entry)
    : createMappFault(mappFaultsByZipFault[fault], entry ?? undefined)
