/** Price lists: the one in force for who orders, all of them for the provider's staff. */
import * as z from 'zod/mini'
import { listedHere } from '#domain/prices.ts'
import { endpoint, type ListSpec, type Row } from '#contract/endpoint.ts'
import {
  amount,
  changes,
  clientType,
  page,
  paged,
  plainDate,
  randomId,
  ref,
  sortNames,
  text,
  timestamp,
  whole,
  wordCode,
} from '#contract/values.ts'

const charges = { hkd: amount, usd: amount, rmb: amount }

const header = {
  type: clientType,
  effective_date: plainDate,
  desc: text(500, 1),
  /** Percents are strings with two decimals, as amounts are. */
  uat_charge: amount,
  uat_cap_hkd: amount,
  uat_cap_usd: amount,
  uat_cap_rmb: amount,
  min_concurrent_user: whole(0, 999_999),
  min_named_user: whole(0, 999_999),
  min_fee_hkd: amount,
  min_fee_usd: amount,
  min_fee_rmb: amount,
}

/** `to` includes its user; the next range starts one above (D82). */
const userRange = z.object({ from: whole(0, 999_999), to: whole(0, 999_999), ...charges })
const modulePrice = z.object({ code: wordCode, module_id: ref('module'), ...charges })

const backupPrice = z.object({
  pdb2s3_fee_hkd: amount,
  pdb2s3_fee_usd: amount,
  pdb2s3_fee_rmb: amount,
  /** GB a month without charge. */
  pdb2s3_traffic: amount,
  pdb2s3_discount: amount,
  pdb2s3_up_hkd: amount,
  pdb2s3_up_usd: amount,
  pdb2s3_up_rmb: amount,
  pdb2rds_fee_hkd: amount,
  pdb2rds_fee_usd: amount,
  pdb2rds_fee_rmb: amount,
  pdb2rds_discount: amount,
})

const priceRow = z.object({
  id: z.int(),
  ...header,
  confirmed: z.boolean(),
  update_time: timestamp,
  update_user_name: z.string(),
  row_version: z.int(),
})
type PriceRow = Omit<z.output<typeof priceRow>, 'id'> & Row

const withId = <S extends z.core.$ZodLooseShape>(shape: S) => z.object({ id: z.int(), ...shape })

const modulePriceRow = withId({ code: z.string(), module_id: z.int(), ...charges })

/** A list whole: header, ranges, modules in the order they are shown, backup block (contracts 3). */
const priceList = z.object({
  ...priceRow.shape,
  concurrentUser: z.array(withId(userRange.shape)),
  namedUser: z.array(withId(userRange.shape)),
  module: z.array(modulePriceRow),
  pdbPrice: z.nullable(backupPrice),
})

export const getPriceInForce = endpoint({
  name: 'getPriceInForce',
  method: 'GET',
  path: '/api/price',
  summary: 'The confirmed list with the latest effective date not after today, whole (D16)',
  who: 'orderOrProviderAdmin',
  matrix: 'Z-16',
  query: z.object({ type: z._default(clientType, 'saas') }),
  output: priceList,
  offline: 'read',
})

const byId = z.object({ id: ref('price') })

export const getPriceList = endpoint({
  name: 'getPriceList',
  method: 'GET',
  path: '/api/prices/:id',
  summary: 'A price list, whole: in force, or named by an own order; any for a provider admin',
  who: 'orderOrProviderAdmin',
  matrix: 'Z-16',
  params: byId,
  output: priceList,
  offline: 'read',
})

const list = {
  table: 'price_lists',
  row: priceRow,
  sorts: { id: 'number', effective_date: 'time', desc: 'text', confirmed: 'flag', update_time: 'time' },
  sort: ['effective_date', 'desc'],
  filters: { type: { kind: 'equal', column: 'type' } },
  scope: null,
} satisfies ListSpec

export const listPriceLists = endpoint({
  name: 'listPriceLists',
  method: 'GET',
  path: '/api/pricelist',
  summary: 'Price lists by client type, without their rows',
  who: 'providerAdmin',
  matrix: 'Z-32',
  query: page(sortNames(list), { type: z.optional(clientType) }),
  output: z.union([paged(priceRow), changes(priceRow)]),
  offline: 'list',
  list,
})

const fields = z.object({
  ...header,
  confirmed: z.boolean(),
  concurrentUser: z.array(userRange).check(z.maxLength(1000)),
  namedUser: z.array(userRange).check(z.maxLength(1000)),
  module: z.array(modulePrice).check(z.maxLength(1000)),
  pdbPrice: z.nullable(backupPrice),
})

/** A confirmed list decides what customers pay, so confirming never waits in a queue. */
const confirms = ({ body }: { body: { confirmed?: boolean | undefined } }) => body.confirmed === true

const table = 'price_lists'

export const createPriceList = endpoint({
  name: 'createPriceList',
  method: 'POST',
  path: '/api/pricelist',
  summary: 'Make a price list; its effective date is unique within the client type (D81)',
  who: 'providerAdmin',
  matrix: 'Z-32',
  body: z.extend(
    z.partial(z.omit(fields, { type: true, effective_date: true, desc: true })),
    z.pick(fields, { type: true, effective_date: true, desc: true }).shape,
  ),
  output: priceList,
  offline: 'queue',
  queue: {
    kind: 'price',
    table,
    target: () => null,
    overlay: (_row, { body }, named) => listedHere(body, named),
    versioned: false,
    unless: confirms,
  },
  stepUp: confirms,
})

/** The id stands in the body (api). */
export const updatePriceList = endpoint({
  name: 'updatePriceList',
  method: 'PUT',
  path: '/api/pricelist',
  summary: 'Change an unconfirmed price list, or confirm it; of a confirmed one only the description (D81)',
  who: 'providerAdmin',
  matrix: 'Z-32',
  body: z.extend(z.partial(fields), { id: ref('price') }),
  output: priceList,
  offline: 'queue',
  queue: {
    kind: 'price',
    table,
    target: ({ body }) => body.id,
    // The row keeps its own id: the body may name it by the write that made it.
    overlay: (row, { body }) => row && ({ ...row, ...body, id: row.id } as PriceRow),
    versioned: true,
    unless: confirms,
  },
  stepUp: confirms,
})

export const deletePriceList = endpoint({
  name: 'deletePriceList',
  method: 'DELETE',
  path: '/api/pricelist/:id',
  summary: 'Delete an unconfirmed price list, or withdraw one that a later one has replaced (D81)',
  who: 'providerAdmin',
  matrix: 'Z-32',
  params: byId,
  output: null,
  offline: 'queue',
  queue: { kind: 'price', table, target: ({ params }) => params.id, overlay: () => null, versioned: true },
})

export const listModulePrices = endpoint({
  name: 'listModulePrices',
  method: 'GET',
  path: '/api/module/price/:priceId',
  summary: "A price list's module rows",
  who: 'providerAdmin',
  matrix: 'Z-30',
  params: z.object({ priceId: ref('price') }),
  query: z.object({ type: z.optional(clientType) }),
  output: z.array(modulePriceRow),
  offline: 'read',
})

export const exportPriceList = endpoint({
  name: 'exportPriceList',
  method: 'POST',
  path: '/api/template/price/export',
  summary: 'A single-use key to download a price list; empty when there is nothing (D64)',
  who: 'providerAdmin',
  matrix: 'Z-32',
  body: z.object({ id: ref('price') }),
  output: z.string(),
  offline: 'online',
  secret: true,
})

export const downloadPriceList = endpoint({
  name: 'downloadPriceList',
  method: 'GET',
  path: '/public/template/price/:key',
  summary: 'An exported price list, once, as .zip',
  who: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'online',
  secret: true,
  responseType: 'bytes',
})

const md5 = z.string().check(z.regex(/^[0-9a-f]{32}$/))

export const uploadPriceList = endpoint({
  name: 'uploadPriceList',
  method: 'POST',
  path: '/api/template/price/upload',
  summary: 'Look into a price list .zip before it is imported',
  who: 'providerAdmin',
  matrix: 'Z-32',
  body: z.object({ file: z.unknown() }),
  encoding: 'multipart',
  output: z.object({ md5, type: clientType, effective_date: plainDate, desc: z.string(), module: z.array(z.string()) }),
  offline: 'online',
})

export const importPriceList = endpoint({
  name: 'importPriceList',
  method: 'POST',
  path: '/api/template/price/import',
  summary: 'Make an unconfirmed price list of an uploaded .zip',
  who: 'providerAdmin',
  matrix: 'Z-32',
  body: z.object({ md5 }),
  output: priceList,
  offline: 'online',
})
