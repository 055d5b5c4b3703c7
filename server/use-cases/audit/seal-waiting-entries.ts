/** Seals waiting entries that a version before the migration `037-entry-seals` wrote without seals. */
import { sql } from 'kysely'
import { sealLeaf } from '#server/db/audit/entry-seals.ts'
import type { AppContext } from '#server/context/context.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { hasStoreSeals } from '#server/use-cases/audit/stored-notes.ts'

export const sealMigration = '037-entry-seals'

/**
 * Runs only in the process that ran the migration. An attacker with access to the database could make the migration run again, to get their
 * own entries sealed. So once the checkpoint store contains seals, entries are sealed only if the operator has declared a restore.
 */
export async function sealWaitingEntries(app: AppContext, { isDeclared = false } = {}): Promise<void> {
  if (!isDeclared && (await hasStoreSeals(app))) {
    app.log.error(
      { event: 'audit_sealing_refused' },
      'refused to seal audit entries: the checkpoint store already has seals',
    )
    return
  }
  await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    const waitingEntries = await db
      .selectFrom('audit_pending')
      .innerJoin('audit_entry', 'audit_entry.id', 'audit_pending.entry_id')
      .select(['audit_entry.id', 'audit_pending.company_id', 'audit_entry.leaf'])
      .where('audit_pending.seal', 'is', null)
      .execute()
    const rows = waitingEntries.map(({ id, company_id, leaf }) => ({
      entry_id: id,
      company_id,
      seal: sealLeaf(db, leaf),
    }))
    await db.deleteFrom('audit_pending').where('seal', 'is', null).execute()
    await sql`
      insert into audit_pending (entry_id, company_id, seal) select entry_id, company_id, seal
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row(entry_id integer, company_id integer, seal text)`.execute(
      db,
    )
  })
}
