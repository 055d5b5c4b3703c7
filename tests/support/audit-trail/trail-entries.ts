/** Writes audit entries as the server would create them, at given times. */
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import type { TestServer } from '#tests/support/server/server.ts'

export interface WrittenEntry
  extends Pick<AuditEntry, 'code' | 'operation'>,
    Partial<Pick<AuditEntry, 'info' | 'changes'>> {
  /** Time in the business time zone, Hong Kong, as in `2026-11-24 15:06:12`. */
  time: string
  /** Author of the entry, as in `admin@alpha`, or null for an anonymous action. */
  userName: string | null
  isFailed?: true
  intent?: string
}

/** Writes the entries into the log of their author's company and assigns log indexes. */
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

/** Writes `count` entries one second apart, the first at `time`. They have no log index yet. */
export const writeManyEntries = ({ app, world }: TestServer, count: number, time: string): Promise<void> =>
  writeGeneratedEntries(app, {
    companyId: world.companies.alpha,
    count,
    startAt: Date.parse(`${time.replace(' ', 'T')}+08:00`),
    intervalMs: 1000,
  })

/** Returns the audit entries with this code, oldest first. */
export const readAuditEntries = ({ app }: Pick<TestServer, 'app'>, code: AuditEntry['code']) =>
  runInTransaction(app, { role: 'portal_system' }, (db) =>
    db
      .selectFrom('audit_entry')
      .select(['company_id', 'operation', 'info', 'status', 'exec_user_id'])
      .where('code', '=', code)
      .orderBy('id')
      .execute(),
  )
