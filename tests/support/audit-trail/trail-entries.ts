/** Entries of the audit trail as writes would leave them, at moments of the test's own. */
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { writeMany } from '#tests/support/audit-trail/audit-entries.ts'
import type { TestServer } from '#tests/support/server/server.ts'

export interface Written extends Pick<AuditEntry, 'code' | 'operation'>, Partial<Pick<AuditEntry, 'info' | 'changes'>> {
  /** `2026-11-24 15:06:12` in the business time zone, Hong Kong. */
  at: string
  /** As `admin@alpha`; null: nobody. */
  by: string | null
  failed?: true
  intent?: string
}

/** In the log of whoever did it, and given their places there. */
export async function writeEntries({ app, world }: TestServer, ...entries: readonly Written[]): Promise<void> {
  await inTransaction(app, { role: 'portal_system' }, async (db) => {
    for (const { at, by, failed, intent, info = {}, ...note } of entries) {
      const company = (by?.split('@')[1] ?? 'alpha') as keyof typeof world.companies
      const head = {
        companyId: world.companies[company],
        userId: by === null ? null : (world.users[by] ?? 0),
        now: Date.parse(`${at.replace(' ', 'T')}+08:00`),
        status: failed ? (-1 as const) : (0 as const),
        intent: intent ?? null,
        requestId: `request-${at}`,
      }
      await addToTrail(db, head, [{ ...note, info }])
    }
  })
  await integrate(app)
}

/** So many of one second each, the first at `at`; they wait for their places in the log. */
export const writeManyEntries = ({ app, world }: TestServer, count: number, at: string): Promise<void> =>
  writeMany(app, {
    companyId: world.companies.alpha,
    count,
    at: Date.parse(`${at.replace(' ', 'T')}+08:00`),
    apart: 1000,
  })

/** What was written of a menu, oldest first. */
export const entriesOf = ({ app }: Pick<TestServer, 'app'>, code: AuditEntry['code']) =>
  inTransaction(app, { role: 'portal_system' }, (db) =>
    db
      .selectFrom('audit_entry')
      .select(['company_id', 'operation', 'info', 'status', 'exec_user_id'])
      .where('code', '=', code)
      .orderBy('id')
      .execute(),
  )
