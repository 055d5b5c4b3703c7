/**
 * The entries of the audit trail: who did what, when, by which write. Their bytes are fixed here, in the transaction of the write, and
 * never change (S-91); their place in the log is given later, so that no write waits for another.
 */
import { createHash, randomBytes } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import { canonical } from '#domain/audit-log/canonical.ts'
import { type AuditChange, type LeafValue, searchTextOf } from '#domain/audit-log/leaf.ts'
import { foldText } from '#domain/text.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { sealLeaf } from '#server/db/audit/entry-seals.ts'
import type { Handle } from '#server/db/handle.ts'
import { fenceTo } from '#server/db/tenant.ts'
import type { Actor } from '#server/db/tables/audit-tables.ts'

/** What all entries of one write have in common. */
export interface TrailEntry {
  /** Of whoever did it. */
  companyId: number
  userId: number | null
  /** Epoch ms. */
  now: number
  /** -1: it failed. */
  status: 0 | -1
  intent: string | null
  requestId: string
}

/** An entry before it is written: its id, and the name of whoever did it as it is then. */
interface Draft {
  id: number
  name: string
  nameKey: string
}

/** Ids that are drawn and not used leave a gap, which nothing minds: places in the log have none. */
async function draftEntry(db: Handle, userId: number | null): Promise<Draft> {
  const { rows } = await sql<Draft>`
    select nextval('audit_entry_id')::integer as id, coalesce(max(name), '') as name,
      coalesce(max(name_key), '') as "nameKey" from portal_user where id = ${userId}::integer`.execute(db)
  const [draft] = rows
  if (!draft) throw new Error('the database drew no id')
  return draft
}

/** What holds for the statement that adds one entry, as part of a larger one. */
export interface EntryStatement {
  /** `noted as (...), pended as (...)`: parts of a WITH whose parameters are numbered from `first`; `pended` has no row where none was taken. */
  text: string
  values: unknown[]
}

export async function entryStatement(
  db: Handle,
  head: TrailEntry,
  note: AuditEntry,
  first: number,
  actor: Actor | null,
): Promise<EntryStatement> {
  const at = (offset: number) => `$${first + offset}`
  const info = infoOf(note)
  const userId = actor ? null : head.userId
  const draft = await draftEntry(db, userId)
  const leaf = leafOf(head, note, actor, draft)
  const search = foldText(searchTextOf({ user_name: '', info, changes: changesOf(note) }))
  const values = [
    draft.id,
    note.company?.id ?? head.companyId,
    actor ? head.companyId : null,
    actor ? JSON.stringify(actor) : null,
    note.code,
    note.operation,
    userId,
    draft.name,
    head.now,
    head.status,
    JSON.stringify(info),
    head.intent,
    head.requestId,
    draft.nameKey === '' ? search : `${draft.nameKey}\n${search}`,
    leaf,
    sealLeaf(db, leaf),
  ]
  const text = `
    noted as (
      insert into audit_entry (id, company_id, actor_company_id, actor, code, operation, exec_user_id, exec_user_name,
        end_time, status, info, intent, request_id, search, leaf)
      values (${at(0)}::integer, ${at(1)}::integer, ${at(2)}::integer, ${at(3)}::jsonb, ${at(4)}::text, ${at(5)}::text,
        ${at(6)}::integer, ${at(7)}::text, ${at(8)}::bigint, ${at(9)}::smallint, ${at(10)}::jsonb, ${at(11)}::text,
        ${at(12)}::text, ${at(13)}::text, ${at(14)}::text) returning id, company_id),
    pended as (insert into audit_pending (entry_id, company_id, seal) select id, company_id, ${at(15)}::text from noted
      returning entry_id)`
  return { text, values }
}

const leafOf = (head: TrailEntry, note: AuditEntry, actor: Actor | null, { id, name }: Draft): string =>
  canonical({
    v: 1,
    id,
    company: note.company?.id ?? head.companyId,
    actor_company: actor ? (note.company?.actor ?? '') : null,
    actor_hash: actor
      ? createHash('sha256')
          .update(canonical({ ...actor }))
          .digest('hex')
      : null,
    time: head.now,
    salt: randomBytes(16).toString('hex'),
    code: note.code,
    operation: note.operation,
    user_id: actor ? null : head.userId,
    user_name: name,
    status: head.status,
    info: infoOf(note),
    changes: changesOf(note).map((change) => ({ ...change })),
    intent: leafValue(head.intent),
    request_id: leafValue(head.requestId),
  })

/** A leaf always has a list of changes: where fields were compared and none differed, it says so, or nobody could tell. */
const infoOf = (note: AuditEntry): Record<string, LeafValue> => {
  const isUnchanged = note.operation === 'update' && note.changes?.length === 0
  return leafObject(isUnchanged ? { ChangeCount: 0, ...note.info } : note.info)
}

const changesOf = (note: AuditEntry): AuditChange[] =>
  (note.changes ?? []).map(({ field, before, after }) => ({
    field,
    before: leafValue(before),
    after: leafValue(after),
  }))

/** Anything as a leaf may hold it: fractions and numbers beyond the safe ones as text, what is not there left out. */
export function leafValue(value: unknown): LeafValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : String(value)
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object') return String(value)
  return Array.isArray(value) ? value.map(leafValue) : leafObject(value)
}

const leafObject = (values: object): Record<string, LeafValue> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.toWellFormed(), leafValue(value)]),
  )

/**
 * Adds to the audit trail. An entry that names another company stands in that company's log, behind its fence; the fence is the
 * writer's own again afterwards.
 */
export async function addToTrail(db: Handle, head: TrailEntry, notes: readonly AuditEntry[]): Promise<void> {
  for (const note of notes) {
    const company = note.company?.id ?? head.companyId
    const actor = company === head.companyId ? null : await actorOf(db, head)
    if (actor) await fenceTo(db, company)
    const { text, values } = await entryStatement(db, head, note, 1, actor)
    const { rows } = await db.executeQuery(CompiledQuery.raw(`with ${text} select entry_id from pended`, values))
    // A trigger may leave it out without an error: what is not recorded must not be done.
    if (rows.length !== 1) throw new Error('the audit trail took no entry')
    if (actor) await fenceTo(db, head.companyId)
  }
}

/** Their name is read behind their own fence, whichever the transaction stands behind now. */
async function actorOf(db: Handle, { companyId, userId }: TrailEntry): Promise<Actor> {
  await fenceTo(db, companyId)
  const id = userId ?? 0
  const user = await db.selectFrom('portal_user').select('name').where('id', '=', id).executeTakeFirst()
  return { salt: randomBytes(16).toString('hex'), user_id: id, user_name: user?.name ?? '' }
}

export interface Author {
  id: number
  name: string
}

/**
 * Whose change left a row as it is: the entry bears the very moment that the row does. `info` says which row it is, where
 * more of them may change in one millisecond. Null: nobody knows, as of rows that came with a backup.
 */
export async function whoLeft(
  db: Handle,
  companyId: number,
  { code, info, at }: Pick<AuditEntry, 'code' | 'info'> & { at: number },
): Promise<Author | null> {
  const found = await db
    .selectFrom('audit_entry')
    .select(['exec_user_id as id', 'exec_user_name as name'])
    .where('company_id', '=', companyId)
    .where('end_time', '=', at)
    .where('code', '=', code)
    .where('status', '=', 0)
    .where(sql<boolean>`info @> ${JSON.stringify(info)}::jsonb`)
    .orderBy('audit_entry.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found && found.id !== null ? { id: found.id, name: found.name } : null
}
