/** Writes many audit entries at once, as if the server had written them one by one. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { type AuditLeaf, buildSearchText } from '#domain/audit-log/leaf.ts'
import { normaliseText } from '#domain/text.ts'
import { sealLeaf } from '#server/db/audit/entry-seals.ts'
import type { AppContext } from '#server/context/context.ts'
import { runInTransaction } from '#server/db/transaction.ts'

export interface AuditEntriesInput {
  companyId: number
  count: number
  /** Time of the first entry, epoch ms. Each further entry is `intervalMs` later. */
  startAt: number
  intervalMs?: number
  /** Returns the fields that differ from a plain change of a user. `index` counts from 0. */
  buildFields?: (index: number) => Partial<AuditLeaf>
}

/** Writes the entries without log indexes. Their ids continue after the last entry. */
export async function writeGeneratedEntries(
  app: AppContext,
  { companyId, count, startAt, intervalMs = 0, buildFields }: AuditEntriesInput,
): Promise<void> {
  await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    const { rows } = await sql<{ id: number }>`
      select nextval('audit_entry_id')::integer as id from generate_series(1, ${count})`.execute(db)
    const leaves = rows.map(
      ({ id }, index): AuditLeaf => ({
        v: 1,
        id,
        company: companyId,
        actor_company: null,
        actor_hash: null,
        time: startAt + index * intervalMs,
        salt: randomBytes(16).toString('hex'),
        code: 'user',
        operation: 'update',
        user_id: null,
        user_name: '',
        status: 0,
        info: { n: index },
        changes: [],
        intent: null,
        request_id: 'r',
        ...buildFields?.(index),
      }),
    )
    const entries = JSON.stringify(
      leaves.map((leaf) => ({
        ...leaf,
        search: normaliseText(buildSearchText(leaf)),
        leaf: toCanonicalJson(leaf),
        seal: sealLeaf(db, toCanonicalJson(leaf)),
      })),
    )
    await sql`
      with made as (
        insert into audit_entry (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent,
          request_id, search, leaf)
        select id, company, code, operation, user_id, user_name, time, status, info, intent, request_id,
          search, leaf
        from jsonb_to_recordset(${entries}::jsonb) as entry(id integer, company integer, code text, operation text,
          user_id integer, user_name text, time bigint, status smallint, info jsonb, intent text, request_id text, search text, leaf text)
        returning id, company_id)
      insert into audit_pending (entry_id, company_id, seal)
      select made.id, company_id, seal from made
      join jsonb_to_recordset(${entries}::jsonb) as entry(id integer, seal text) on entry.id = made.id`.execute(db)
  })
}
