/**
 * A price list as a file (D78): a zip of `price.json`, which says all of the list with its modules by their codes, and
 * `manifest.json`, which says what that is and what its bytes come to.
 */
import { createHash, hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import * as z from 'zod/mini'
import { findJsonFault } from '#domain/checks/json-checks.ts'
import { priceFaultAsWord, type PriceFileFaultCode, priceFileFault } from '#domain/checks/price-file-checks.ts'
import { tidyText } from '#domain/text.ts'
import { createPriceList } from '#contract/prices.ts'
import { amount, wordCode } from '#contract/values.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { PriceListRecord } from '#server/db/catalogue/price-lists.ts'
import { ArchiveError, type ArchiveFault, readArchive } from '#server/drivers/zip-reader.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { contentOfNew, draftProblems } from '#server/use-cases/catalogue/price-content.ts'

const format = 'portal-price-list'
const version = 1
const names = { list: 'price.json', manifest: 'manifest.json' }
/** A list of a thousand ranges and modules has some 300 kB. */
const limits = { entries: 20, entryBytes: 4_000_000, totalBytes: 5_000_000 }

type Sent = ParsedInputOf<typeof createPriceList>['body']

const charges = { hkd: amount, usd: amount, rmb: amount }
const listFile = z.object({
  ...z.omit(createPriceList.body as z.ZodMiniObject, { confirmed: true, module: true }).shape,
  module: z.array(z.object({ code: wordCode, ...charges })).check(z.maxLength(1000)),
})
const manifestFile = z.object({
  format: z.literal(format),
  version: z.literal(version),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
})

/** What of a list goes from house to house: neither ids nor who wrote it when. */
export interface ListFile extends Omit<Sent, 'confirmed' | 'module'> {
  module: { code: string; hkd: string; usd: string; rmb: string }[]
}

type Packed = Pick<PriceListRecord, 'type' | 'effective_date' | 'description' | 'content'>

export async function packPriceList({ type, effective_date, description, content }: Packed): Promise<Buffer> {
  const withoutId = <T extends { id: number }>({ id: _id, ...row }: T) => row
  const list = {
    type,
    effective_date,
    desc: description,
    ...content,
    concurrentUser: content.concurrentUser.map(withoutId),
    namedUser: content.namedUser.map(withoutId),
    module: content.module.map(({ code, hkd, usd, rmb }) => ({ code, hkd, usd, rmb })),
  }
  const bytes = Buffer.from(`${JSON.stringify(list, null, 2)}\n`)
  const manifest = { format, version, sha256: hash('sha256', bytes, 'hex') }
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), names.manifest)
  zip.addBuffer(bytes, names.list)
  zip.end()
  return buffer(zip.outputStream)
}

export interface Looked {
  /** Of the zip's bytes: by it the import names what was looked into. */
  md5: string
  list: ListFile
}

/** Throws VALIDATION_ERROR on `file`, with a reason of its own for each way in which it is no price list (`priceFileFaults`). */
export async function unpackPriceList(bytes: Buffer): Promise<Looked> {
  const files = await readArchive(bytes, limits).catch((error: unknown) => {
    if (!(error instanceof ArchiveError)) throw error
    throw badFile(faultOfArchive[error.fault], error.fault === 'name' ? (error.entry ?? undefined) : undefined)
  })
  const [manifest, list] = [files.get(names.manifest), files.get(names.list)]
  if (!manifest) throw badFile('missingPart', names.manifest)
  if (!list) throw badFile('missingPart', names.list)
  const written = parsed(manifest)
  const said = z.safeParse(manifestFile, written)
  if (!said.success) throw badFile('otherFormat')
  requireNothingElse(written, said.data, names.manifest)
  if (!hashesOf(list).includes(said.data.sha256)) throw badFile('wrongHash')
  return { md5: createHash('md5').update(bytes).digest('hex'), list: readListFile(parsed(list)) }
}

/** What `price.json` says. Throws VALIDATION_ERROR on `file`: `badList` and `foreignFields`. */
export function readListFile(written: unknown): ListFile {
  const found = z.safeParse(listFile, written)
  if (!found.success) throw badFile('badList', found.error.issues[0]?.path.join('.') || names.list)
  requireNothingElse(written, found.data, '')
  const list = found.data as unknown as ListFile
  const { effective_date, desc, module, ...content } = list
  // Text that no database keeps (F-03).
  if (desc.includes('\0') || !desc.isWellFormed()) throw badFile('badList', 'desc')
  const [problem] = draftProblems({
    effective_date,
    description: tidyText(desc),
    content: contentOfNew({ ...content, module }),
  })
  if (problem) throw badFile('badList', problem.field)
  return list
}

const faultOfArchive: Record<ArchiveFault, PriceFileFaultCode> = {
  unreadable: 'notZip',
  // Far more often a damaged file than one that means harm.
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

export const badFile = (code: PriceFileFaultCode, named?: string) =>
  invalid([{ field: 'file', code: 'BAD_ARCHIVE', named: priceFaultAsWord(priceFileFault(code, named)) }])

/** A field that is not known here may mean something there: what it says must not be lost unseen. */
function requireNothingElse(written: unknown, known: unknown, where: string): void {
  const stray = strayIn(written, known)
  if (stray !== null) throw badFile('foreignFields', [where, stray].filter((part) => part !== '').join(' '))
}

/** The first field of `written` that is not in `known`, which was read from it; null: there is none. */
function strayIn(written: unknown, known: unknown): string | null {
  if (typeof written !== 'object' || written === null || typeof known !== 'object' || known === null) return null
  for (const [name, value] of Object.entries(written)) {
    if (!Object.hasOwn(known, name)) return name
    const inside = strayIn(value, (known as Record<string, unknown>)[name])
    if (inside !== null) return `${name}.${inside}`
  }
  return null
}

/** Of the list as it lies in the file, and as it was exported if an editor has stored it again in another encoding. */
function hashesOf(list: Buffer): string[] {
  const text = decoded(list)
  return [list, ...(text === null ? [] : [text, text.replaceAll('\r\n', '\n')])].map((one) =>
    hash('sha256', one, 'hex'),
  )
}

/** UTF-8, or UTF-16 with its mark, without that mark; null: neither. */
function decoded(bytes: Buffer): string | null {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Undefined for what is no JSON, says one thing twice, or holds more than a request may: a small zip unpacks to megabytes. */
function parsed(bytes: Buffer): unknown {
  try {
    const text = decoded(bytes)
    if (text === null || findJsonFault(text, inputLimits.json) !== null) return undefined
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
