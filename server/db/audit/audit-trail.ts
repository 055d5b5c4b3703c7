/**
 * Writes entries of the audit trail in the transaction of their write. Entries never change (S-91). They get their position in the log
 * later.
 */
import { createHash, randomBytes } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { type AuditChange, type LeafValue, buildSearchText } from '#domain/audit-log/leaf.ts'
import { normaliseText } from '#domain/text.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { sealLeaf } from '#server/db/audit/entry-seals.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { setTenant } from '#server/db/tenant.ts'
import type { AuditActor } from '#server/db/tables/audit-tables.ts'

export interface EntryHeader {
  companyId: number
  userId: number | null
  /** Epoch ms. */
  now: number
  /** 0 if the write succeeded, -1 if it failed. */
  status: 0 | -1
  intent: string | null
  requestId: string
}

interface EntryDraft {
  id: number
  name: string
  nameKey: string
}

/** Takes the id and the user's name for an entry. An unused id leaves a gap, which is harmless: positions in the log have no gaps. */
async function draftEntry(db: DatabaseHandle, userId: number | null): Promise<EntryDraft> {
  const { rows } = await sql<EntryDraft>`
    select nextval('audit_entry_id')::integer as id, coalesce(max(name), '') as name,
      coalesce(max(name_key), '') as "nameKey" from portal_user where id = ${userId}::integer`.execute(db)
  const [draft] = rows
  if (!draft) throw new Error('the database did not return an id')
  return draft
}

export interface EntryStatement {
  /** SQL `noted as (...), pended as (...)`: parts of a WITH clause. `pended` returns no row if the entry was not added. */
  text: string
  values: unknown[]
}

export async function buildEntryStatement(
  db: DatabaseHandle,
  header: EntryHeader,
  entry: AuditEntry,
  firstParameter: number,
  actor: AuditActor | null,
): Promise<EntryStatement> {
  const toParameter = (offset: number) => `$${firstParameter + offset}`
  const info = getInfo(entry)
  const userId = actor ? null : header.userId
  const draft = await draftEntry(db, userId)
  const leaf = buildLeaf(header, entry, actor, draft)
  const search = normaliseText(buildSearchText({ user_name: '', info, changes: getChanges(entry) }))
  const values = [
    draft.id,
    entry.company?.id ?? header.companyId,
    actor ? header.companyId : null,
    actor ? JSON.stringify(actor) : null,
    entry.code,
    entry.operation,
    userId,
    draft.name,
    header.now,
    header.status,
    JSON.stringify(info),
    header.intent,
    header.requestId,
    draft.nameKey === '' ? search : `${draft.nameKey}\n${search}`,
    leaf,
    sealLeaf(db, leaf),
  ]
  const text = `
    noted as (
      insert into audit_entry (id, company_id, actor_company_id, actor, code, operation, exec_user_id, exec_user_name,
        end_time, status, info, intent, request_id, search, leaf)
      values (${toParameter(0)}::integer, ${toParameter(1)}::integer, ${toParameter(2)}::integer, ${toParameter(3)}::jsonb, ${toParameter(4)}::text, ${toParameter(5)}::text,
        ${toParameter(6)}::integer, ${toParameter(7)}::text, ${toParameter(8)}::bigint, ${toParameter(9)}::smallint, ${toParameter(10)}::jsonb, ${toParameter(11)}::text,
        ${toParameter(12)}::text, ${toParameter(13)}::text, ${toParameter(14)}::text) returning id, company_id),
    pended as (insert into audit_pending (entry_id, company_id, seal) select id, company_id, ${toParameter(15)}::text from noted
      returning entry_id)`
  return { text, values }
}

const buildLeaf = (
  header: EntryHeader,
  entry: AuditEntry,
  actor: AuditActor | null,
  { id, name }: EntryDraft,
): string =>
  toCanonicalJson({
    v: 1,
    id,
    company: entry.company?.id ?? header.companyId,
    actor_company: actor ? (entry.company?.actor ?? '') : null,
    actor_hash: actor
      ? createHash('sha256')
          .update(toCanonicalJson({ ...actor }))
          .digest('hex')
      : null,
    time: header.now,
    salt: randomBytes(16).toString('hex'),
    code: entry.code,
    operation: entry.operation,
    user_id: actor ? null : header.userId,
    user_name: name,
    status: header.status,
    info: getInfo(entry),
    changes: getChanges(entry).map((change) => ({ ...change })),
    intent: toLeafValue(header.intent),
    request_id: toLeafValue(header.requestId),
  })

/**
 * Returns the entry's info. `ChangeCount: 0` marks an update that changed no field, because without it the changes could also be unknown.
 */
const getInfo = (entry: AuditEntry): Record<string, LeafValue> => {
  const isUnchanged = entry.operation === 'update' && entry.changes?.length === 0
  return toLeafObject(isUnchanged ? { ChangeCount: 0, ...entry.info } : entry.info)
}

const getChanges = (entry: AuditEntry): AuditChange[] =>
  (entry.changes ?? []).map(({ field, before, after }) => ({
    field,
    before: toLeafValue(before),
    after: toLeafValue(after),
  }))

/** Converts a value as leaves require: fractions and unsafe integers become text, and missing fields are omitted. */
export function toLeafValue(value: unknown): LeafValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : String(value)
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object') return String(value)
  return Array.isArray(value) ? value.map(toLeafValue) : toLeafObject(value)
}

const toLeafObject = (values: object): Record<string, LeafValue> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.toWellFormed(), toLeafValue(value)]),
  )

/** Adds entries. For an entry in another company's log, the tenant is that company, and the caller's company again afterwards. */
export async function addAuditEntries(
  db: DatabaseHandle,
  header: EntryHeader,
  entries: readonly AuditEntry[],
): Promise<void> {
  for (const entry of entries) {
    const companyId = entry.company?.id ?? header.companyId
    const actor = companyId === header.companyId ? null : await readActor(db, header)
    if (actor) await setTenant(db, companyId)
    const { text, values } = await buildEntryStatement(db, header, entry, 1, actor)
    const { rows } = await db.executeQuery(CompiledQuery.raw(`with ${text} select entry_id from pended`, values))
    // A trigger could suppress the row without an error. A write without its entry must fail.
    if (rows.length !== 1) throw new Error('the audit entry was not inserted')
    if (actor) await setTenant(db, header.companyId)
  }
}

/** Reads the caller's name for another company's log. Sets the caller's company as the tenant first, because another tenant may be set. */
async function readActor(db: DatabaseHandle, { companyId, userId }: EntryHeader): Promise<AuditActor> {
  await setTenant(db, companyId)
  const id = userId ?? 0
  const user = await db.selectFrom('portal_user').select('name').where('id', '=', id).executeTakeFirst()
  return { salt: randomBytes(16).toString('hex'), user_id: id, user_name: user?.name ?? '' }
}

export interface RowAuthor {
  id: number
  name: string
}

/**
 * Returns the user who last changed a row: the author of the entry with exactly the row's change time. `info` identifies the row. Null for
 * rows from a restored backup.
 */
export async function findLastAuthor(
  db: DatabaseHandle,
  companyId: number,
  { code, info, changedAt }: Pick<AuditEntry, 'code' | 'info'> & { changedAt: number },
): Promise<RowAuthor | null> {
  const row = await db
    .selectFrom('audit_entry')
    .select(['exec_user_id as id', 'exec_user_name as name'])
    .where('company_id', '=', companyId)
    .where('end_time', '=', changedAt)
    .where('code', '=', code)
    .where('status', '=', 0)
    .where(sql<boolean>`info @> ${JSON.stringify(info)}::jsonb`)
    .orderBy('audit_entry.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && row.id !== null ? { id: row.id, name: row.name } : null
}
