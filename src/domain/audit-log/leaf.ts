/**
 * Defines the leaf of an audit entry: its bytes, fixed when the entry was written. All displayed content of an entry is derived from them,
 * so that the displayed content is the proven content. Other columns are copies for queries.
 */
import { toPlainDate, type PlainDate, type Timestamp, toTimestamp } from '#domain/time.ts'

export const auditMenus = [
  'company',
  'user',
  'order',
  'service',
  'backup',
  'price',
  'module',
  'automodule',
  'app',
  'system',
] as const
export type AuditMenu = (typeof auditMenus)[number]

/** Operations of the audit trail (D86), in display order. */
export const auditOperations = [
  'create',
  'update',
  'delete',
  'enable',
  'disable',
  'activate',
  'pay',
  'refund',
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
] as const
export type AuditOperation = (typeof auditOperations)[number]

/** Maximum count of entries and maximum page depth. If there are more matches, a page only reports this (contracts 7). */
export const maxCountedEntries = 10_000

/** Menus whose entries only callers with the delete level can read. Other callers get only the hashes (contracts 2). */
export const catalogueMenus: readonly AuditMenu[] = ['app', 'module', 'automodule', 'price']

/** Values of a leaf, restricted to those with a single text representation. Numbers are safe integers. */
export type LeafValue = string | number | boolean | null | readonly LeafValue[] | { readonly [name: string]: LeafValue }

/** One changed field. `before` is null if the field did not exist before, `after` if it no longer exists. Never contains secrets. */
export interface AuditChange {
  field: string
  before: LeafValue
  after: LeafValue
}

/** The JSON object whose canonical form (RFC 8785) is the leaf. */
export interface AuditLeaf {
  v: 1
  id: number
  company: number
  /** Company code of the actor if it is another company. Null for the company itself. */
  actor_company: string | null
  /** SHA-256 (hex) of the actor's canonical JSON, if `user_id` and `user_name` are omitted because the actor is of another company. */
  actor_hash: string | null
  /** Epoch ms, UTC. */
  time: number
  /** 16 random bytes in hex, so that the content cannot be guessed from the hash. */
  salt: string
  code: AuditMenu
  operation: string
  user_id: number | null
  user_name: string
  /** -1 if the action failed. */
  status: 0 | -1
  info: Readonly<Record<string, LeafValue>>
  changes: readonly AuditChange[]
  intent: string | null
  request_id: string
}

export interface AuditEntryRow {
  id: number
  company_id: number
  /** Index in the company's log, from 0. Null while the entry is not in the log yet. */
  log_index: number | null
  code: AuditMenu
  operation: string
  exec_user_id: number | null
  exec_user_name: string
  by_provider: boolean
  /** In the business time zone. */
  end_time: Timestamp
  day: PlainDate
  status: 0 | -1
  info: Readonly<Record<string, LeafValue>>
  changes: readonly AuditChange[]
  intent: string | null
  request_id: string
  search_text: string
  leaf: string
  row_version: 1
}

/** Throws SyntaxError if the text is not a leaf. */
export function readLeaf(leaf: string): AuditLeaf {
  const value = JSON.parse(leaf) as Partial<AuditLeaf> | null
  if (value?.v !== 1 || typeof value.id !== 'number' || typeof value.time !== 'number' || !Array.isArray(value.changes))
    throw new SyntaxError('not a leaf of the audit trail')
  return value as AuditLeaf
}

/** Builds the row of an entry from its leaf alone. `zone` is the business time zone. Throws like `readLeaf`. */
export function toEntryRow(leaf: string, logIndex: number | null, zone: string): AuditEntryRow {
  const { id, company, actor_company, time, code, operation, user_id, user_name, status, info, changes, ...rest } =
    readLeaf(leaf)
  return {
    id,
    company_id: company,
    log_index: logIndex,
    code,
    operation,
    exec_user_id: user_id,
    exec_user_name: user_name,
    by_provider: actor_company !== null,
    end_time: toTimestamp(zone, time),
    day: toPlainDate(zone, time),
    status,
    info,
    changes,
    intent: rest.intent,
    request_id: rest.request_id,
    search_text: buildSearchText({ user_name, info, changes }),
    leaf,
    row_version: 1,
  }
}

/**
 * Returns the user's name and all values of the action and its changes. Menus and operations are not included, because they have their own
 * filters.
 */
export function buildSearchText({
  user_name,
  info,
  changes,
}: Pick<AuditLeaf, 'user_name' | 'info' | 'changes'>): string {
  const values = [user_name, info, ...changes.flatMap(({ before, after }) => [before, after])]
  return values.flatMap(collectTexts).join('\n')
}

function collectTexts(value: LeafValue): string[] {
  if (value === null || typeof value === 'boolean') return []
  if (typeof value !== 'object') return value === '' ? [] : [String(value)]
  // The values are in the key order of the leaf.
  const innerValues = Array.isArray(value)
    ? value
    : Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, innerValue]) => innerValue)
  return innerValues.flatMap(collectTexts)
}
