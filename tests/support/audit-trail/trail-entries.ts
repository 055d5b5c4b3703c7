/** Entries of the audit trail as writes would leave them, at moments of the test's own. */
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import type { TestServer } from '#tests/support/server/server.ts'

export interface WrittenEntry
  extends Pick<AuditEntry, 'code' | 'operation'>,
    Partial<Pick<AuditEntry, 'info' | 'changes'>> {
  /** `2026-11-24 15:06:12` in the business time zone, Hong Kong. */
  time: string
  /** As `admin@alpha`; null: nobody. */
  userName: string | null
  isFailed?: true
  intent?: string
}

/** In the log of whoever did it, and given their places there. */
export async function writeEntries({ app, world }: TestServer, ...entries: readonly WrittenEntry[]): Promise<void> {
  await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    for (const { time, userName, isFailed, intent, info = {}, ...fields } of entries) {
      const company = (userName?.split('@')[1] ?? 'alpha') as keyof typeof world.companies
      const header = {
        companyId: world.companies[company],
        userId: userName === null ? null : (world.users[userName] ?? 0),
        now: Date.parse(`${time.replace(' ', 'T')}+08:00`),
        status: isFailed ? (-1 as const) : (0 as const),
        intent: intent ?? null,
        requestId: `request-${time}`,
      }
      await addAuditEntries(db, header, [{ ...fields, info }])
    }
  })
  await integrate(app)
}

/** So many of one second each, the first at `at`; they wait for their places in the log. */
export const writeManyEntries = ({ app, world }: TestServer, count: number, time: string): Promise<void> =>
  writeGeneratedEntries(app, {
    companyId: world.companies.alpha,
    count,
    startAt: Date.parse(`${time.replace(' ', 'T')}+08:00`),
    intervalMs: 1000,
  })

/** What was written of a menu, oldest first. */
export const readAuditEntries = ({ app }: Pick<TestServer, 'app'>, code: AuditEntry['code']) =>
  runInTransaction(app, { role: 'portal_system' }, (db) =>
    db
      .selectFrom('audit_entry')
      .select(['company_id', 'operation', 'info', 'status', 'exec_user_id'])
      .where('code', '=', code)
      .orderBy('id')
      .execute(),
  )
