import * as z from 'zod/mini'
import { logFaults } from '#domain/audit-log/fault.ts'
import { auditMenus, auditOperations } from '#domain/audit-log/leaf.ts'
import { defineEndpoint, declareStoredList, type ListSpec } from '#contract/endpoint.ts'
import {
  pageOutput,
  plainDate,
  randomId,
  rowId,
  getSortNames,
  text,
  timestamp,
  integerBetween,
} from '#contract/values.ts'

const menu = z.enum(auditMenus)
const operation = z.enum(auditOperations)

const change = z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })

/** All fields of `AuditEntryRow` follow from `leaf`, except names that only provider staff can read. */
export const auditEntry = z.object({
  id: z.int(),
  company_id: z.int(),
  /** Index in the company's log. Null while the entry is not in the log yet. */
  log_index: z.nullable(z.int()),
  code: menu,
  operation: z.string(),
  exec_user_id: z.nullable(z.int()),
  exec_user_name: z.string(),
  by_provider: z.boolean(),
  end_time: timestamp,
  day: plainDate,
  /** -1 if the action failed. */
  status: z.union([z.literal(-1), z.literal(0)]),
  /** Names of the records involved, such as CompanyName or ServiceCode (contracts 3). */
  info: z.record(z.string(), z.unknown()),
  changes: z.array(change),
  /** The intent of the write that caused the entry. The receipt on the device has the same id. */
  intent: z.nullable(z.string()),
  request_id: z.string(),
  search_text: z.string(),
  /** The bytes that are hashed (RFC 8785). */
  leaf: z.string(),
  row_version: z.int(),
})

const trailListSpec = {
  table: 'trail',
  row: auditEntry,
  // Sorted only by time. Other columns have filters, so that each page comes directly from an index.
  sorts: { end_time: 'time' },
  sort: ['end_time', 'desc'],
  filters: {
    code: { kind: 'equal', column: 'code' },
    operation: { kind: 'equal', column: 'operation' },
    withoutLogins: { kind: 'hides', column: 'operation', value: 'login' },
    dateFrom: { kind: 'from', column: 'day' },
    dateTo: { kind: 'until', column: 'day' },
    user: { kind: 'equal', column: 'exec_user_id' },
    status: { kind: 'equal', column: 'status' },
    intent: { kind: 'equal', column: 'intent' },
    entry: { kind: 'equal', column: 'id' },
    searchText: { kind: 'contains', columns: ['search_text'] },
  },
  scope: { column: 'company_id', param: 'companyId' },
} satisfies ListSpec

/** Filters shared by lists, exports and charts. Both days are inclusive. */
const filters = {
  code: z.optional(menu),
  operation: z.optional(operation),
  dateFrom: z.optional(plainDate),
  dateTo: z.optional(plainDate),
  user: z.optional(rowId),
  status: z.optional(z.union([z.literal(-1), z.literal(0)])),
  intent: z.optional(z.guid()),
  searchText: z.optional(text(200)),
}
/** If omitted, the caller's own company. Only provider staff may name another company. */
const company = { companyId: z.optional(rowId) }
/** 0 names the log of calls without a session, which belongs to no company. */
const logQuery = { companyId: z.optional(integerBetween(0, 2_147_483_647)) }

/** Only callers with the delete level get entries of the types app, module, automodule and price (contracts 2). */
export const listTrail = defineEndpoint({
  name: 'listTrail',
  method: 'GET',
  path: '/api/systrail',
  summary: "Lists the audit entries of the caller's company or, for provider staff, of any company",
  access: 'trail',
  matrix: 'Z-28',
  query: z.object({
    results: z._default(integerBetween(1, 50), 10),
    /** Pages reach up to the 10,000th match. Use `after` to continue from there. */
    page: z._default(integerBetween(1, 10_000), 1),
    /** Id of the last entry that the caller has in the requested order. The page starts after that entry. */
    after: z.optional(rowId),
    sortField: z.optional(z.enum(getSortNames(trailListSpec))),
    sortOrder: z.optional(z.enum(['asc', 'desc', 'ascend', 'descend'])),
    entry: z.optional(rowId),
    /** Leaves out successful and failed logins, which would fill a short list. */
    withoutLogins: z.optional(z.boolean()),
    ...company,
    ...filters,
  }),
  /** `more` is true if there are more than 10,000 matches. */
  output: pageOutput(auditEntry),
  offline: 'read',
})

export const storedTrailListSpec: ListSpec = declareStoredList(trailListSpec)

/** Number of entries per day, for at most 400 days. Failed entries are counted separately. */
export const trailActivity = defineEndpoint({
  name: 'trailActivity',
  method: 'GET',
  path: '/api/systrail/activity',
  summary: 'Returns the number of audit entries per day, for at most 400 days',
  access: 'trail',
  matrix: 'Z-28',
  query: z.object({ ...company, ...filters }),
  output: z.object({
    days: z.array(z.object({ day: plainDate, done: z.int(), failed: z.int() })),
    /** The first day that is counted. Earlier days may have entries too. */
    from: z.nullable(plainDate),
  }),
  offline: 'read',
})

/** A signed note in the C2SP tlog-checkpoint format, with the verifier key of its signer. */
export const trailCheckpoint = defineEndpoint({
  name: 'trailCheckpoint',
  method: 'GET',
  path: '/api/systrail/checkpoint',
  summary: "Returns the latest signed checkpoint of a company's log",
  access: 'trail',
  matrix: 'Z-28',
  /** `known`: the verifier key that the caller last verified the log with. */
  query: z.object({ ...logQuery, known: z.optional(text(300)) }),
  output: z.object({
    /** Null if the log is empty. */
    note: z.nullable(z.string()),
    /** `name+id+base64`, as in C2SP signed notes. */
    key: z.string(),
    pending: z.int(),
    /** Present if the key changed since `known`: a checkpoint per change, in which the old key names the new one. */
    handovers: z.optional(z.array(z.string())),
    /** Present if the server detected that its log was changed: the fault and the affected log indexes (`to` is exclusive). */
    alarm: z.optional(z.object({ fault: z.string(), from: z.int(), to: z.int() })),
  }),
  offline: 'read',
})

/** Up to 256 hashes of one level of the tree (C2SP tlog-tiles, height 8). */
export const trailTile = defineEndpoint({
  name: 'trailTile',
  method: 'GET',
  path: '/api/systrail/tile/:level/:index',
  summary: "Returns a tile of hashes of a company's log",
  access: 'trail',
  matrix: 'Z-28',
  params: z.object({ level: z.string().check(z.regex(/^[0-5]$/)), index: z.string().check(z.regex(/^\d{1,9}$/)) }),
  query: z.object(logQuery),
  output: z.object({ hashes: z.string() }),
  offline: 'read',
})

/** Size of a range that the device can store. `from` and `to` are log indexes; `to` is exclusive. */
const rangeOutput = z.object({ from: z.int(), to: z.int(), entries: z.int(), bytes: z.int() })
const days = { dateFrom: plainDate, dateTo: plainDate }

export const trailRange = defineEndpoint({
  name: 'trailRange',
  method: 'GET',
  path: '/api/systrail/range',
  summary: 'Returns the size of the audit trail in a range of days',
  access: 'trail',
  matrix: 'Z-28',
  query: z.object({ ...company, ...days }),
  output: rangeOutput,
  offline: 'online',
})

/** Creates an audit entry, like every export. The returned `keep` authorizes the stream, also for entries that are added later. */
export const keepTrail = defineEndpoint({
  name: 'keepTrail',
  method: 'POST',
  path: '/api/systrail/keep',
  summary: 'Returns a key that lets a device store a range of the audit trail',
  access: 'trail',
  matrix: 'Z-28',
  body: z.object({ companyId: z.nullable(rowId), ...days }),
  output: z.extend(rangeOutput, { keep: randomId, company_id: z.int() }),
  offline: 'online',
})

/**
 * Returns the filtered entries as CSV or XLSX. With the `keep` of `keepTrail`, it streams leaves of the log as NDJSON from a log index on:
 * first `{zone, from, to}`, then `{index, leaf}` or, if the reader may not see the entry, `{index, hash}` in base64, without gaps, and last
 * `{count, note}`. A stream without the last line was cut off.
 */
export const exportTrail = defineEndpoint({
  name: 'exportTrail',
  method: 'GET',
  path: '/api/systrail/export',
  summary: 'Returns the audit trail as a CSV or XLSX file, or the leaves of its log as an NDJSON stream',
  access: 'trail',
  matrix: 'Z-28',
  query: z.object({
    format: z.enum(['csv', 'xlsx', 'ndjson']),
    keep: z.optional(randomId),
    from: z.optional(integerBetween(0, 2_147_483_647)),
    to: z.optional(integerBetween(0, 2_147_483_647)),
    sortField: z.optional(z.enum(getSortNames(trailListSpec))),
    sortOrder: z.optional(z.enum(['asc', 'desc'])),
    ...company,
    ...filters,
  }),
  output: z.unknown(),
  offline: 'online',
  // Bypasses the service worker and is never logged, because the response contains everything that a company did.
  secret: true,
  responseType: 'bytes',
})

/** Lists logs for which the server detected a change. It signs no new checkpoints of such a log until the fault is resolved. */
export const listTrailAlarms = defineEndpoint({
  name: 'listTrailAlarms',
  method: 'GET',
  path: '/api/systrail/alarms',
  summary: 'Lists the audit logs of all companies that failed the verification by the server',
  access: 'providerAdmin',
  matrix: 'Z-28',
  output: z.array(
    z.object({
      company_id: z.int(),
      /** Null for the log of callers without a company, and for the log of a deleted company. */
      company_name: z.nullable(z.string()),
      fault: z.enum(logFaults),
      /** Log indexes; `to` is exclusive. */
      from: z.int(),
      to: z.int(),
    }),
  ),
  offline: 'read',
})

/**
 * Recomputes all hashes and compares them with the tree, the columns and the signed checkpoint (S-91). Changes nothing. The time it takes
 * grows with the length of the trail.
 */
export const verifyTrail = defineEndpoint({
  name: 'verifyTrail',
  method: 'POST',
  path: '/api/systrail/verify',
  summary: 'Verifies that no entry of the audit trail was changed or removed since it was written',
  access: 'providerAdmin',
  matrix: 'Z-28',
  /** Null for all companies. */
  body: z.object({ companyId: z.nullable(rowId) }),
  output: z.object({
    companies: z.int(),
    rows: z.int(),
    /** At most 100 faults. `id` is the entry, or the log index if the entry is missing. */
    broken: z.array(z.object({ company_id: z.int(), company_code: z.nullable(z.string()), id: z.int() })),
    /** Present if the checkpoint store could not be reached, so nothing was compared with it. */
    checkpoint_store: z.optional(z.literal('unreachable')),
  }),
  offline: 'online',
  job: 'verify-trail',
})
