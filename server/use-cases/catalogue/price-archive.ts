/** Packs and unpacks a price list as a zip (D78): `price.json` has the list with module codes, `manifest.json` its digest. */
import { createHash, hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import * as z from 'zod/mini'
import { findJsonFault } from '#domain/checks/json-checks.ts'
import { formatPriceFault, type PriceFileFaultCode, createPriceFileFault } from '#domain/checks/price-file-checks.ts'
import { cleanText } from '#domain/text.ts'
import { createPriceList } from '#contract/prices.ts'
import { amount, wordCode } from '#contract/values.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { PriceListRecord } from '#server/db/catalogue/price-lists.ts'
import { ZipError, type ZipFault, readZip } from '#server/drivers/zip-reader.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import { buildNewContent, findDraftProblems } from '#server/use-cases/catalogue/price-content.ts'

const formatName = 'portal-price-list'
const formatVersion = 1
const fileNames = { list: 'price.json', manifest: 'manifest.json' }
/**
 * Limits of the zip: number of entries, bytes per entry and bytes in total. A list with a thousand ranges and modules takes about 300 kB.
 */
const limits = { entries: 20, entryBytes: 4_000_000, totalBytes: 5_000_000 }

type PriceListInput = ParsedInputOf<typeof createPriceList>['body']

const chargeFields = { hkd: amount, usd: amount, rmb: amount }
const listFileSchema = z.object({
  ...z.omit(createPriceList.body as z.ZodMiniObject, { confirmed: true, module: true }).shape,
  module: z.array(z.object({ code: wordCode, ...chargeFields })).check(z.maxLength(1000)),
})
const manifestSchema = z.object({
  format: z.literal(formatName),
  version: z.literal(formatVersion),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
})

/** The part of a list that is moved between installations. It has no ids, authors or times. */
export interface PriceListFile extends Omit<PriceListInput, 'confirmed' | 'module'> {
  module: { code: string; hkd: string; usd: string; rmb: string }[]
}

type PackedPriceList = Pick<PriceListRecord, 'type' | 'effective_date' | 'description' | 'content'>

export async function packPriceList({ type, effective_date, description, content }: PackedPriceList): Promise<Buffer> {
  const removeId = <T extends { id: number }>({ id: _id, ...row }: T) => row
  const list = {
    type,
    effective_date,
    desc: description,
    ...content,
    concurrentUser: content.concurrentUser.map(removeId),
    namedUser: content.namedUser.map(removeId),
    module: content.module.map(({ code, hkd, usd, rmb }) => ({ code, hkd, usd, rmb })),
  }
  const bytes = Buffer.from(`${JSON.stringify(list, null, 2)}\n`)
  const manifest = { format: formatName, version: formatVersion, sha256: hash('sha256', bytes, 'hex') }
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), fileNames.manifest)
  zip.addBuffer(bytes, fileNames.list)
  zip.end()
  return buffer(zip.outputStream)
}

export interface UploadedPriceFile {
  /** MD5 of the zip, by which the import names the uploaded file. */
  md5: string
  list: PriceListFile
}

/** Throws VALIDATION_ERROR on `file`, with a separate reason for each fault (`priceFileFaults`). */
export async function unpackPriceList(bytes: Buffer): Promise<UploadedPriceFile> {
  const files = await readZip(bytes, limits).catch((error: unknown) => {
    if (!(error instanceof ZipError)) throw error
    throw createFileError(
      faultsByArchiveFault[error.fault],
      error.fault === 'name' ? (error.entry ?? undefined) : undefined,
    )
  })
  const [manifest, list] = [files.get(fileNames.manifest), files.get(fileNames.list)]
  if (!manifest) throw createFileError('missingPart', fileNames.manifest)
  if (!list) throw createFileError('missingPart', fileNames.list)
  const manifestContent = parseJson(manifest)
  const manifestMatch = z.safeParse(manifestSchema, manifestContent)
  if (!manifestMatch.success) throw createFileError('otherFormat')
  requireKnownFields(manifestContent, manifestMatch.data, fileNames.manifest)
  if (!getPossibleHashes(list).includes(manifestMatch.data.sha256)) throw createFileError('wrongHash')
  return { md5: createHash('md5').update(bytes).digest('hex'), list: readListFile(parseJson(list)) }
}

/** Parses `price.json`. Throws VALIDATION_ERROR on `file` with `badList` or `foreignFields`. */
export function readListFile(fileContent: unknown): PriceListFile {
  const match = z.safeParse(listFileSchema, fileContent)
  if (!match.success) throw createFileError('badList', match.error.issues[0]?.path.join('.') || fileNames.list)
  requireKnownFields(fileContent, match.data, '')
  const list = match.data as unknown as PriceListFile
  const { effective_date, desc, module, ...content } = list
  // The database cannot store such text (F-03).
  if (desc.includes('\0') || !desc.isWellFormed()) throw createFileError('badList', 'desc')
  const [problem] = findDraftProblems({
    effective_date,
    description: cleanText(desc),
    content: buildNewContent({ ...content, module }),
  })
  if (problem) throw createFileError('badList', problem.field)
  return list
}

const faultsByArchiveFault: Record<ZipFault, PriceFileFaultCode> = {
  unreadable: 'notZip',
  // A zip that contradicts itself is a damaged file far more often than an attack.
  contradiction: 'notZip',
  entry: 'tooLarge',
  total: 'tooLarge',
  entries: 'tooManyFiles',
  ratio: 'unsafe',
  name: 'unsafeName',
  kind: 'unsafe',
  encrypted: 'encrypted',
  packing: 'packing',
}

export const createFileError = (code: PriceFileFaultCode, subject?: string) =>
  createValidationProblem([
    { field: 'file', code: 'BAD_ARCHIVE', named: formatPriceFault(createPriceFileFault(code, subject)) },
  ])

/** An unknown field is refused, so that its meaning in the other installation is not lost silently. */
function requireKnownFields(content: unknown, parsedContent: unknown, parentName: string): void {
  const unknownField = findUnknownField(content, parsedContent)
  if (unknownField !== null)
    throw createFileError('foreignFields', [parentName, unknownField].filter((name) => name !== '').join(' '))
}

/** Returns the first field that is not in `parsedContent`, or null. */
function findUnknownField(content: unknown, parsedContent: unknown): string | null {
  if (typeof content !== 'object' || content === null || typeof parsedContent !== 'object' || parsedContent === null)
    return null
  for (const [name, value] of Object.entries(content)) {
    if (!Object.hasOwn(parsedContent, name)) return name
    const nestedField = findUnknownField(value, (parsedContent as Record<string, unknown>)[name])
    if (nestedField !== null) return `${name}.${nestedField}`
  }
  return null
}

/**
 * Returns hashes of the list's bytes, and of its text as it was exported, because an editor may have changed the encoding or the line
 * breaks.
 */
function getPossibleHashes(list: Buffer): string[] {
  const text = decodeText(list)
  return [list, ...(text === null ? [] : [text, text.replaceAll('\r\n', '\n')])].map((content) =>
    hash('sha256', content, 'hex'),
  )
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, and removes the mark. Returns null for anything else. */
function decodeText(bytes: Buffer): string | null {
  const [firstByte, secondByte] = bytes
  const encoding =
    firstByte === 0xff && secondByte === 0xfe
      ? 'utf-16le'
      : firstByte === 0xfe && secondByte === 0xff
        ? 'utf-16be'
        : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * Returns undefined if the text is not JSON, repeats a key or exceeds the limits, which exist because a small zip can unpack to megabytes.
 */
function parseJson(bytes: Buffer): unknown {
  try {
    const text = decodeText(bytes)
    if (text === null || findJsonFault(text, inputLimits.json) !== null) return undefined
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
