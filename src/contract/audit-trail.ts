/** Who did what, and when: the audit trail of a company, its log and its proofs. */
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

/** `AuditEntryRow` of domain/audit-log: all of it follows from `leaf`, but for names that only the provider's staff read. */
export const auditEntry = z.object({
  id: z.int(),
  company_id: z.int(),
  /** Place in the company's log; null: it is being recorded. */
  log_index: z.nullable(z.int()),
  code: menu,
  operation: z.string(),
  exec_user_id: z.nullable(z.int()),
  exec_user_name: z.string(),
  by_provider: z.boolean(),
  end_time: timestamp,
  day: plainDate,
  /** -1: it failed. */
  status: z.union([z.literal(-1), z.literal(0)]),
  /** Names of what it was about, such as CompanyName or ServiceCode (contracts 3). */
  info: z.record(z.string(), z.unknown()),
  changes: z.array(change),
  /** The write that caused it: the receipt on the device carries the same. */
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
  // A trail is read along time; what else could be sorted by is a filter, so that each page comes straight from an index.
  sorts: { end_time: 'time' },
  sort: ['end_time', 'desc'],
  filters: {
    code: { kind: 'equal', column: 'code' },
    operation: { kind: 'equal', column: 'operation' },
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

/** What narrows the trail, in lists, files and figures alike. Both days are part of the range. */
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
/** Left out: the caller's own company. Others than the provider's staff may name no other. */
const company = { companyId: z.optional(rowId) }
/** The log of nobody's company, where calls without a session are kept, is named by 0. */
const logQuery = { companyId: z.optional(integerBetween(0, 2_147_483_647)) }

/** The types app, module, automodule and price answer the delete level only (contracts 2). */
export const listTrail = defineEndpoint({
  name: 'listTrail',
  method: 'GET',
  path: '/api/systrail',
  summary: "The own company's trail; any company's for a provider admin",
  access: 'trail',
  matrix: 'Z-28',
  query: z.object({
    results: z._default(integerBetween(1, 50), 10),
    /** Up to the 10,000th match; further on by `after`. */
    page: z._default(integerBetween(1, 10_000), 1),
    /** Id of the last entry that is known, in the order that is asked for: the page begins behind it. */
    after: z.optional(rowId),
    sortField: z.optional(z.enum(getSortNames(trailListSpec))),
    sortOrder: z.optional(z.enum(['asc', 'desc', 'ascend', 'descend'])),
    /** Id of the one entry that is asked for: an address names it. */
    entry: z.optional(rowId),
    ...company,
    ...filters,
  }),
  /** `more`: there are more than 10,000. */
  output: pageOutput(auditEntry),
  offline: 'read',
})

/** What the device keeps of a range, filled and read by the same words as other lists. */
export const storedTrailListSpec: ListSpec = declareStoredList(trailListSpec)

/** How many entries each day of at most 400 has; those that failed apart. */
export const trailActivity = defineEndpoint({
  name: 'trailActivity',
  method: 'GET',
  path: '/api/systrail/activity',
  summary: 'Entries of the audit trail by day',
  access: 'trail',
  matrix: 'Z-28',
  query: z.object({ ...company, ...filters }),
  output: z.object({
    days: z.array(z.object({ day: plainDate, done: z.int(), failed: z.int() })),
    /** Days before the first of these are not counted, although there may be entries of them. */
    from: z.nullable(plainDate),
  }),
  offline: 'read',
})

/** A signed note in the format of C2SP's tlog-checkpoint, with the key it was signed by as a verifier key. */
export const trailCheckpoint = defineEndpoint({
  name: 'trailCheckpoint',
  method: 'GET',
  path: '/api/systrail/checkpoint',
  summary: "The newest signed checkpoint of a company's log",
  access: 'trail',
  matrix: 'Z-28',
  /** `known`: the key by which whoever asks has read the log before. */
  query: z.object({ ...logQuery, known: z.optional(text(300)) }),
  output: z.object({
    /** Null: the log is empty. */
    note: z.nullable(z.string()),
    /** `name+id+base64`, as C2SP's signed notes have it. */
    key: z.string(),
    /** Entries that are written and not yet in the log. */
    pending: z.int(),
    /** Where the key was changed since `known`: a checkpoint for each change, in which the key before names the one after. */
    handovers: z.optional(z.array(z.string())),
    /** There where the server has found the log changed: what is wrong, and which places are concerned, up to `to` without it. */
    alarm: z.optional(z.object({ fault: z.string(), from: z.int(), to: z.int() })),
  }),
  offline: 'read',
})

/** Up to 256 hashes of one level of the tree (C2SP tlog-tiles, height 8). */
export const trailTile = defineEndpoint({
  name: 'trailTile',
  method: 'GET',
  path: '/api/systrail/tile/:level/:index',
  summary: "A tile of hashes of a company's log",
  access: 'trail',
  matrix: 'Z-28',
  params: z.object({ level: z.string().check(z.regex(/^[0-5]$/)), index: z.string().check(z.regex(/^\d{1,9}$/)) }),
  query: z.object(logQuery),
  /** Hashes of 32 bytes each, one after the other, in base64. */
  output: z.object({ hashes: z.string() }),
  offline: 'read',
})

/** What the device would keep of a range, and how much that is. `from` and `to`: places in the log, `to` not included. */
const rangeOutput = z.object({ from: z.int(), to: z.int(), entries: z.int(), bytes: z.int() })
const days = { dateFrom: plainDate, dateTo: plainDate }

export const trailRange = defineEndpoint({
  name: 'trailRange',
  method: 'GET',
  path: '/api/systrail/range',
  summary: 'How much of the audit trail a range of days holds',
  access: 'trail',
  matrix: 'Z-28',
  query: z.object({ ...company, ...days }),
  output: rangeOutput,
  offline: 'online',
})

/** An export like any other, so it is an entry itself; the answer's word opens the stream, now and for its later entries. */
export const keepTrail = defineEndpoint({
  name: 'keepTrail',
  method: 'POST',
  path: '/api/systrail/keep',
  summary: 'Begin to keep a range of the audit trail on a device',
  access: 'trail',
  matrix: 'Z-28',
  body: z.object({ companyId: z.nullable(rowId), ...days }),
  output: z.extend(rangeOutput, { keep: randomId, company_id: z.int() }),
  offline: 'online',
})

/**
 * Exactly what is filtered as CSV or XLSX; or, with the word of `keepTrail`, the leaves of the log as NDJSON, from a place
 * in the log on: first `{zone, from, to}`, then `{index, leaf}` or `{index, hash}` (of what the reader may not see, in
 * base64) without a gap, at the end `{count, note}`. Without the last line the stream was cut.
 */
export const exportTrail = defineEndpoint({
  name: 'exportTrail',
  method: 'GET',
  path: '/api/systrail/export',
  summary: 'The audit trail as a file, or its leaves as a stream',
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
  // Past the worker and the log: what it sends is all that a company did.
  secret: true,
  responseType: 'bytes',
})

/** Logs that this server has found changed: nothing more of them is signed until that is cleared up. */
export const listTrailAlarms = defineEndpoint({
  name: 'listTrailAlarms',
  method: 'GET',
  path: '/api/systrail/alarms',
  summary: 'Audit trails that were found changed, over all companies',
  access: 'providerAdmin',
  matrix: 'Z-28',
  output: z.array(
    z.object({
      company_id: z.int(),
      /** Null: the log of callers that belong to no company, or of a company that is gone. */
      company_name: z.nullable(z.string()),
      fault: z.enum(logFaults),
      /** Places in the log: from, and up to without. */
      from: z.int(),
      to: z.int(),
    }),
  ),
  offline: 'read',
})

/**
 * Hashes every entry anew, of one company or of all, and compares it with the tree, its columns and the signed checkpoint
 * (S-91). Changes nothing, takes as long as the trail is long.
 */
export const verifyTrail = defineEndpoint({
  name: 'verifyTrail',
  method: 'POST',
  path: '/api/systrail/verify',
  summary: 'Check that no entry of the audit trail was changed or taken out since it was written',
  access: 'providerAdmin',
  matrix: 'Z-28',
  /** Null: every company. */
  body: z.object({ companyId: z.nullable(rowId) }),
  output: z.object({
    companies: z.int(),
    rows: z.int(),
    /** The first of them, where there are many; `id`: the entry, or the place in the log where there is none. */
    broken: z.array(z.object({ company_id: z.int(), company_code: z.nullable(z.string()), id: z.int() })),
    /** There where the store of checkpoints could not be read, and nothing was compared with it. */
    checkpoint_store: z.optional(z.literal('unreachable')),
  }),
  offline: 'online',
  job: 'verify-trail',
})
