/**
 * The leaf of an audit entry: its bytes as they were fixed when it was written. Everything that anybody is shown of an entry
 * comes from them, so what is proven is what is read. Columns beside them are copies for queries.
 */
import { toPlainDate, type PlainDate, type Timestamp, toTimestamp } from '#domain/time.ts'

/** The menus of the audit trail (D86). */
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

/** The operations of the audit trail (D86), in the order in which they are offered. */
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

/** Entries are counted and paged up to here; beyond it a page says that there are more (contracts 7). */
export const maxCountedEntries = 10_000

/** Of these only the delete level is shown more than hashes (contracts 2). */
export const catalogueMenus: readonly AuditMenu[] = ['app', 'module', 'automodule', 'price']

/** What a leaf may hold: nothing whose text could be written in two ways. Numbers are safe integers. */
export type LeafValue = string | number | boolean | null | readonly LeafValue[] | { readonly [name: string]: LeafValue }

/** One field that an act changed; null: it was not there, or is not any more. Secrets never stand here. */
export interface AuditChange {
  field: string
  before: LeafValue
  after: LeafValue
}

/** The JSON object whose canonical form (RFC 8785) is the leaf. */
export interface AuditLeaf {
  v: 1
  /** Of the entry; not its place in the log. */
  id: number
  /** The company whose log it stands in. */
  company: number
  /** Code of the company whose people did it, where it is another one; null: the company's own. */
  actor_company: string | null
  /** SHA-256 (hex) over the canonical JSON of who did it, where `user_id` and `user_name` are left out for that reason. */
  actor_hash: string | null
  /** Epoch ms, UTC. */
  time: number
  /** 16 random bytes in hex, so that a hash alone gives nothing away. */
  salt: string
  code: AuditMenu
  operation: string
  user_id: number | null
  user_name: string
  /** -1: it failed. */
  status: 0 | -1
  info: Readonly<Record<string, LeafValue>>
  changes: readonly AuditChange[]
  intent: string | null
  request_id: string
}

/** An entry as lists, pages and files show it. */
export interface AuditEntryRow {
  id: number
  company_id: number
  /** Place in the company's log, from 0; null: it is being recorded. */
  log_index: number | null
  code: AuditMenu
  operation: string
  exec_user_id: number | null
  exec_user_name: string
  /** Done by the provider's staff in a customer's log. */
  by_provider: boolean
  /** In the business time zone. */
  end_time: Timestamp
  day: PlainDate
  status: 0 | -1
  info: Readonly<Record<string, LeafValue>>
  changes: readonly AuditChange[]
  intent: string | null
  request_id: string
  /** What free text looks through. */
  search_text: string
  leaf: string
  row_version: 1
}

/** Throws SyntaxError where the text is no leaf of ours. */
export function readLeaf(leaf: string): AuditLeaf {
  const value = JSON.parse(leaf) as Partial<AuditLeaf> | null
  if (value?.v !== 1 || typeof value.id !== 'number' || typeof value.time !== 'number' || !Array.isArray(value.changes))
    throw new SyntaxError('not a leaf of the audit trail')
  return value as AuditLeaf
}

/** The row of an entry, made from its leaf alone; `zone`: the business time zone. Throws as `readLeaf`. */
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

/** Who, and every value of what was done and changed; keys, menus and operations have filters of their own. */
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
  // As the leaf has them, in whatever order they were written down.
  const innerValues = Array.isArray(value)
    ? value
    : Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, innerValue]) => innerValue)
  return innerValues.flatMap(collectTexts)
}
