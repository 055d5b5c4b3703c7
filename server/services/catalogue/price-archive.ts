/**
 * A price list as a file (D78): a zip of `price.json`, which says all of the list with its modules by their codes, and
 * `manifest.json`, which says what that is and what its bytes come to.
 */
import { createHash, hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import * as z from 'zod/mini'
import { createPriceList } from '#contract/prices.ts'
import { amount, wordCode } from '#contract/values.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { PriceListRecord } from '#server/db/catalogue/price-lists.ts'
import { ArchiveError, readArchive } from '#server/drivers/zip-reader.ts'
import { invalid } from '#server/problem-error.ts'

const format = 'portal-price-list'
const version = 1
const names = { list: 'price.json', manifest: 'manifest.json' }
/** A list of a thousand ranges and modules has some 300 kB. */
const limits = { entries: 10, entryBytes: 4_000_000, totalBytes: 5_000_000 }

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

export async function packPriceList({ type, effective_date, description, content }: PriceListRecord): Promise<Buffer> {
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

/** Throws VALIDATION_ERROR on `file`: for no zip, one that is not safe to open, and one that holds something else. */
export async function unpackPriceList(bytes: Buffer): Promise<Looked> {
  const files = await readArchive(bytes, limits).catch((error: unknown) => {
    throw error instanceof ArchiveError ? unfit() : error
  })
  const [list, manifest] = [files.get(names.list), files.get(names.manifest)]
  const said = z.safeParse(manifestFile, parsed(manifest))
  if (!list || !said.success || hash('sha256', list, 'hex') !== said.data.sha256) throw unfit()
  const found = z.safeParse(listFile, parsed(list))
  if (!found.success) throw unfit()
  return { md5: createHash('md5').update(bytes).digest('hex'), list: found.data as unknown as ListFile }
}

const unfit = () => invalid([{ field: 'file', code: 'BAD_ARCHIVE' }])

function parsed(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse(bytes?.toString() ?? '') as unknown
  } catch {
    return undefined
  }
}
