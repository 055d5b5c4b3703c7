/** Who did what, and when: the audit trail of a company. */
import * as z from 'zod/mini'
import { endpoint, type ListSpec } from '#contract/endpoint.ts'
import { changes, page, paged, plainDate, ref, rowId, sortNames, timestamp } from '#contract/values.ts'

/** The menus of D86. */
const menu = z.enum(['company', 'user', 'order', 'service', 'backup', 'price', 'module', 'automodule', 'app', 'system'])
const operation = z.enum([
  'create',
  'update',
  'delete',
  'enable',
  'disable',
  'activate',
  'pay',
  'print',
  'export',
  'login',
  'reset',
  'reboot',
  'config',
  'remove',
  'backup',
  'restore',
  'upload',
  'import',
  'confirm',
  'withdraw',
])

const trailRow = z.object({
  id: z.int(),
  company_id: z.int(),
  code: menu,
  operation: z.string(),
  exec_user_name: z.string(),
  end_time: timestamp,
  /** -1: it failed. */
  status: z.union([z.literal(-1), z.literal(0)]),
  /** Names of what it was about, such as CompanyName or ServiceCode (contracts 3). */
  info: z.record(z.string(), z.unknown()),
  /** The write that caused it: the receipt on the device carries the same. */
  intent: z.nullable(z.string()),
  row_version: z.int(),
})

const list = {
  table: 'trail',
  row: trailRow,
  sorts: { id: 'number', end_time: 'time', code: 'text', operation: 'text', exec_user_name: 'text', status: 'number' },
  sort: ['end_time', 'desc'],
  filters: {
    code: { kind: 'equal', column: 'code' },
    operation: { kind: 'equal', column: 'operation' },
    dateFrom: { kind: 'from', column: 'end_time' },
    dateTo: { kind: 'until', column: 'end_time' },
    companyId: { kind: 'equal', column: 'company_id' },
  },
  scope: null,
} satisfies ListSpec

/** The types app, module, automodule and price answer the delete level only (contracts 2). */
export const listTrail = endpoint({
  name: 'listTrail',
  method: 'GET',
  path: '/api/systrail',
  summary: "The own company's trail; any company's for a provider admin",
  who: 'trail',
  matrix: 'Z-28',
  query: page(sortNames(list), {
    code: z.optional(menu),
    operation: z.optional(operation),
    /** Both days are part of the range. */
    dateFrom: z.optional(plainDate),
    dateTo: z.optional(plainDate),
    companyId: z.optional(ref('company')),
  }),
  output: z.union([paged(trailRow), changes(trailRow)]),
  offline: 'list',
  list,
})

/**
 * Walks the chain of hashes, of one company or of all: every row must hash to what stands beside it and follow the one
 * before it (S-91). Changes nothing, takes as long as the trail is long.
 */
export const verifyTrail = endpoint({
  name: 'verifyTrail',
  method: 'POST',
  path: '/api/systrail/verify',
  summary: 'Check that no row of the audit trail was changed or taken out since it was written',
  who: 'providerAdmin',
  matrix: 'Z-28',
  /** Null: every company. */
  body: z.object({ companyId: z.nullable(rowId) }),
  output: z.object({
    companies: z.int(),
    rows: z.int(),
    /** The first of them, where there are many. */
    broken: z.array(z.object({ company_id: z.int(), company_code: z.nullable(z.string()), id: z.int() })),
  }),
  offline: 'online',
  job: 'verify-trail',
})
