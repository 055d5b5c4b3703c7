import * as z from 'zod/mini'
import { toPendingPriceList } from '#domain/catalogue/price-differences.ts'
import { priceListRowNames } from '#domain/row-names.ts'
import { defineEndpoint, type ListSpec, type VersionedRow } from '#contract/endpoint.ts'
import {
  amount,
  changesOutput,
  clientType,
  currency,
  flag01,
  pageQuery,
  pageOutput,
  plainDate,
  randomId,
  ref,
  getSortNames,
  text,
  timestamp,
  userMode,
  integerBetween,
} from '#contract/values.ts'

const charges = { hkd: amount, usd: amount, rmb: amount }

const header = {
  type: clientType,
  effective_date: plainDate,
  desc: text(500, 1),
  /** Percentages are strings with two decimals, like amounts. */
  uat_charge: amount,
  uat_cap_hkd: amount,
  uat_cap_usd: amount,
  uat_cap_rmb: amount,
  min_concurrent_user: integerBetween(0, 999_999),
  min_named_user: integerBetween(0, 999_999),
  min_fee_hkd: amount,
  min_fee_usd: amount,
  min_fee_rmb: amount,
}

/** `to` is inclusive; the next range starts at `to` + 1 (D82). */
const userRange = z.object({ from: integerBetween(0, 999_999), to: integerBetween(0, 999_999), ...charges })
/** A row without a code has no module selected. It is dropped when the list is saved (contracts 5). */
const modulePrice = z.object({
  code: text(60).check(z.regex(/^\w*$/)),
  module_id: z.optional(ref('module')),
  ...charges,
})

const backupPrice = z.object({
  pdb2s3_fee_hkd: amount,
  pdb2s3_fee_usd: amount,
  pdb2s3_fee_rmb: amount,
  /** Free GB per month. */
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
  /** A confirmed list that is not used for new orders. Its last update is the withdrawal. */
  withdrawn: z.boolean(),
  update_time: timestamp,
  update_user_name: z.string(),
  row_version: z.int(),
})
export type PriceRow = Omit<z.output<typeof priceRow>, 'id'> & VersionedRow

const withId = <S extends z.core.$ZodLooseShape>(shape: S) => z.object({ id: z.int(), ...shape })

const modulePriceRow = withId({ code: z.string(), module_id: z.int(), ...charges })

/** A complete list: header, ranges, modules in display order, backup prices (contracts 3). */
const priceList = z.object({
  ...priceRow.shape,
  concurrentUser: z.array(withId(userRange.shape)),
  namedUser: z.array(withId(userRange.shape)),
  module: z.array(modulePriceRow),
  pdbPrice: z.nullable(backupPrice),
})

export const getPriceInForce = defineEndpoint({
  name: 'getPriceInForce',
  method: 'GET',
  path: '/api/price',
  summary: 'Returns the complete price list in force: confirmed, with the latest effective date not after today',
  access: 'orderOrProviderAdmin',
  matrix: 'Z-16',
  query: z.object({ type: z._default(clientType, 'saas') }),
  output: priceList,
  offline: 'read',
})

const byId = z.object({ id: ref('price') })

export const getPriceList = defineEndpoint({
  name: 'getPriceList',
  method: 'GET',
  path: '/api/prices/:id',
  summary:
    "Returns a complete price list: the one in force, one used by the caller's company or, for a provider admin, any",
  access: 'orderOrProviderAdmin',
  matrix: 'Z-16',
  params: byId,
  output: priceList,
  offline: 'read',
})

export const priceListSpec = {
  table: 'price_lists',
  row: priceRow,
  sorts: { id: 'number', effective_date: 'time', desc: 'text', confirmed: 'flag', update_time: 'time' },
  sort: ['effective_date', 'desc'],
  filters: {
    type: { kind: 'equal', column: 'type' },
    withdrawn: { kind: 'equal', column: 'withdrawn' },
    includedWithdrawn: { kind: 'shows', column: 'withdrawn', value: true },
  },
  scope: null,
} satisfies ListSpec

export const listPriceLists = defineEndpoint({
  name: 'listPriceLists',
  method: 'GET',
  path: '/api/pricelist',
  summary: 'Lists price lists without their rows, filtered by client type; withdrawn ones are excluded by default',
  access: 'providerAdmin',
  matrix: 'Z-32',
  query: pageQuery(getSortNames(priceListSpec), {
    type: z.optional(clientType),
    withdrawn: z.optional(z.boolean()),
    includedWithdrawn: z.optional(z.boolean()),
  }),
  output: z.union([pageOutput(priceRow), changesOutput(priceRow)]),
  offline: 'list',
  list: priceListSpec,
})

const fields = z.object({
  ...header,
  confirmed: z.boolean(),
  concurrentUser: z.array(userRange).check(z.maxLength(1000)),
  namedUser: z.array(userRange).check(z.maxLength(1000)),
  module: z.array(modulePrice).check(z.maxLength(1000)),
  pdbPrice: z.nullable(backupPrice),
})

/** A confirmed list decides what customers pay, so confirming is never queued. */
const isConfirming = ({ body }: { body: { confirmed?: boolean | undefined } }) => body.confirmed === true

const table = 'price_lists'

const optionalFields = z.partial(z.omit(fields, { type: true, effective_date: true, desc: true, confirmed: true }))
const requiredFields = z.pick(fields, { type: true, effective_date: true, desc: true })

/** A list as entered in the form. Missing fields are empty. */
const typedList = z.extend(optionalFields, requiredFields.shape)

export const createPriceList = defineEndpoint({
  name: 'createPriceList',
  method: 'POST',
  path: '/api/pricelist',
  summary: 'Creates a price list whose effective date is unique within the client type',
  access: 'providerAdmin',
  matrix: 'Z-32',
  body: z.extend(typedList, { confirmed: z.optional(fields.shape.confirmed) }),
  output: priceList,
  offline: 'queue',
  queue: {
    kind: 'price',
    table,
    target: () => null,
    overlay: (_row, { body }, write) => toPendingPriceList(body, write),
    versioned: false,
    names: priceListRowNames,
    mustNotQueue: isConfirming,
  },
  stepUp: isConfirming,
})

/** The id is in the body (api). */
export const updatePriceList = defineEndpoint({
  name: 'updatePriceList',
  method: 'PUT',
  path: '/api/pricelist',
  summary: 'Changes or confirms an unconfirmed price list; of a confirmed one only the description can change',
  access: 'providerAdmin',
  matrix: 'Z-32',
  body: z.extend(z.partial(fields), { id: ref('price') }),
  output: priceList,
  offline: 'queue',
  queue: {
    kind: 'price',
    table,
    target: ({ body }) => body.id,
    // Sets the id of the cached row, because the body may name the row by the intent that created it.
    overlay: (row, { body }) => row && ({ ...row, ...body, id: row.id } as PriceRow),
    versioned: true,
    names: priceListRowNames,
    mustNotQueue: isConfirming,
  },
  stepUp: isConfirming,
})

export const deletePriceList = defineEndpoint({
  name: 'deletePriceList',
  method: 'DELETE',
  path: '/api/pricelist/:id',
  summary: 'Deletes an unconfirmed price list, or withdraws a confirmed one that is not in force',
  access: 'providerAdmin',
  matrix: 'Z-32',
  params: byId,
  /** `withdraw` is set by the page if the list is confirmed. The server ignores it, because it knows the state of the list. */
  query: z.object({ withdraw: z.optional(z.boolean()) }),
  output: null,
  offline: 'queue',
  queue: {
    kind: 'price',
    table,
    target: ({ params }) => params.id,
    overlay: () => null,
    versioned: true,
    names: priceListRowNames,
    mustNotQueue: ({ query }) => query?.withdraw === true,
  },
  // A list that was never confirmed is deleted without the password.
  stepUp: 'row',
})

/** Sum of annual fees of many contracts. It can be longer than a single amount. */
const amountSum = z.string().check(z.regex(/^\d{1,40}\.\d{2}$/))

/** The customer fields are null for callers who may not read contracts (D49). */
const rehearsedContract = {
  contract_id: z.int(),
  code: z.nullable(z.string()),
  name: z.nullable(z.string()),
  company: z.nullable(z.string()),
  currency,
  user_mode: userMode,
  users: z.int(),
  modules: z.array(z.string()),
  uat: flag01,
  price_id: z.int(),
  /** The annual fee at which the contract was sold. */
  now: amountSum,
}

/** Compares the current annual fees of contracts with those on a list (contracts 9, D16). Changes nothing. */
export const rehearsePriceList = defineEndpoint({
  name: 'rehearsePriceList',
  method: 'POST',
  path: '/api/pricelist/rehearse',
  summary:
    'Compares annual fees of contracts with those on a stored or draft price list, and lists contracts without a price',
  access: 'providerAdmin',
  matrix: 'Z-32',
  /** Exactly one of the two: the id of a stored list, or the list in the form. */
  body: z.object({ id: z.optional(ref('price')), list: z.optional(typedList), progressKey: z.optional(randomId) }),
  output: z.object({
    contracts: z.int(),
    currencies: z.array(
      z.object({
        currency,
        /** Number of contracts with a price. Failing contracts are not included in any of these figures. */
        contracts: z.int(),
        now: amountSum,
        then: amountSum,
        /** Number of contracts that cost more, less and the same. The sum is `contracts`. */
        more: z.int(),
        less: z.int(),
        same: z.int(),
        /**
         * Contracts by change in percent of `now`, all steps in ascending order. A step includes `from` and excludes `to`; null means no
         * limit. Two steps differ: 0 to 0 has the unchanged contracts, and 0 to 1 those that cost less than one percent more.
         */
        histogram: z.array(z.object({ from: z.nullable(z.number()), to: z.nullable(z.number()), contracts: z.int() })),
      }),
    ),
    /** The twenty largest changes up or down, in percent of `now`, over all currencies. Ties are sorted by id. */
    largest: z.array(z.object({ ...rehearsedContract, then: amountSum })),
    /** Number of contracts without a price on the list. They could not be renewed unchanged (D3, D16). */
    failing: z.int(),
    /** The first 200 failing contracts by id. `missing` has the modules that are not on the list. */
    failures: z.array(
      z.object({
        ...rehearsedContract,
        why: z.enum(['usersOutOfRange', 'modulesNotListed']),
        missing: z.array(z.string()),
      }),
    ),
  }),
  offline: 'online',
  job: 'rehearse-prices',
})

export const listModulePrices = defineEndpoint({
  name: 'listModulePrices',
  method: 'GET',
  path: '/api/module/price/:priceId',
  summary: 'Returns the module prices of a price list',
  access: 'providerAdmin',
  matrix: 'Z-30',
  params: z.object({ priceId: ref('price') }),
  query: z.object({ type: z.optional(clientType) }),
  output: z.array(modulePriceRow),
  offline: 'read',
})

export const exportPriceList = defineEndpoint({
  name: 'exportPriceList',
  method: 'POST',
  path: '/api/template/price/export',
  summary: 'Returns a single-use key to download a price list, or an empty string if there is no such list',
  access: 'providerAdmin',
  matrix: 'Z-32',
  body: z.object({ id: ref('price') }),
  output: z.string(),
  offline: 'online',
  secret: true,
})

export const downloadPriceList = defineEndpoint({
  name: 'downloadPriceList',
  method: 'GET',
  path: '/public/template/price/:key',
  summary: 'Returns an exported price list as a .zip file, once per key',
  access: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'online',
  secret: true,
  responseType: 'bytes',
})

const md5 = z.string().check(z.regex(/^[0-9a-f]{32}$/))

export const uploadPriceList = defineEndpoint({
  name: 'uploadPriceList',
  method: 'POST',
  path: '/api/template/price/upload',
  summary: 'Uploads a price list as a .zip file and returns its contents without importing it',
  access: 'providerAdmin',
  matrix: 'Z-32',
  body: z.object({ file: z.unknown() }),
  encoding: 'multipart',
  output: z.object({
    md5,
    type: clientType,
    effective_date: plainDate,
    desc: z.string(),
    /** `module`: codes of all priced modules. `unknown`: those that this portal does not have. They prevent the import. */
    module: z.array(z.string()),
    unknown: z.array(z.string()),
    list: z.object({
      ...header,
      concurrentUser: z.array(userRange),
      namedUser: z.array(userRange),
      module: z.array(z.object({ code: z.string(), ...charges })),
      pdbPrice: z.nullable(backupPrice),
    }),
  }),
  offline: 'online',
})

export const importPriceList = defineEndpoint({
  name: 'importPriceList',
  method: 'POST',
  path: '/api/template/price/import',
  summary: 'Creates an unconfirmed price list from an uploaded .zip file',
  access: 'providerAdmin',
  matrix: 'Z-32',
  body: z.object({ md5 }),
  output: priceList,
  offline: 'online',
})
