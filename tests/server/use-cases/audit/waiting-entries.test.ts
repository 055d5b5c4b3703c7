/** Tests that entries which a database superuser changes before they are logged are never signed (decision 67). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { readLatestCheckpoint } from '#server/db/audit/audit-log.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { createFileStore } from '#server/drivers/checkpoint-store/file-store.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { getLogsName } from '#server/use-cases/audit/log-identity.ts'
import { getLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { sealMigration, sealWaitingEntries } from '#server/use-cases/audit/seal-waiting-entries.ts'
import { onBothEngines, bypassPolicies } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'

onBothEngines('waiting audit entries', (fixture) => {
  let app: AppContext
  let companyId: number
  beforeEach(async () => {
    app = { ...fixture, clock: () => Date.parse('2026-03-02T02:00:00Z'), checkpointStore: noCheckpointStore }
    companyId = (await addAdmin(app, 'acme')).companyId
    await write()
    expect(await integrate(app)).toBe(1)
    await write()
  })

  const runAsSystem = <T>(work: (db: DatabaseHandle) => Promise<T>) => runInTransaction(app, system, work)
  const runAsSuperuser = (work: (db: DatabaseHandle) => Promise<unknown>) =>
    bypassPolicies(app.database, async (db) => void (await work(db)))
  const readLatest = () => runAsSystem((db) => readLatestCheckpoint(db, companyId))
  const verify = () => runAsSystem((db) => findBrokenEntries(app, db))
  const write = () =>
    runAsSystem((db) => {
      const head = { companyId, userId: null, now: app.clock(), status: 0, intent: null, requestId: 'r' } as const
      return addAuditEntries(db, head, [{ code: 'user', operation: 'update', info: { Code: 'LENA' } }])
    })

  const waitingEntryId = sql`(select min(entry_id) from audit_pending)`
  /** Inserts a copy of the waiting entry with all related rows, as a careful forger would. */
  const insertCopy =
    (leaf: 'with its own id' | 'to the letter', seal: ReturnType<typeof sql>) => (db: DatabaseHandle) =>
      sql`
      with drawn as (select nextval('audit_entry_id')::integer as id),
      copied as (
        insert into audit_entry (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info,
          intent, request_id, search, leaf)
        select drawn.id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent,
          request_id, search, ${
            leaf === 'to the letter'
              ? sql`leaf`
              : sql`replace(leaf, '"id":' || entry.id || ',', '"id":' || drawn.id || ',')`
          }
        from audit_entry entry, drawn where entry.id = ${waitingEntryId} returning id, company_id)
      insert into audit_pending (entry_id, company_id, seal) select id, company_id, ${seal} from copied`.execute(db)
  const waitingSeal = sql`(select seal from audit_pending where entry_id = ${waitingEntryId})`

  const edits: [string, (db: DatabaseHandle) => Promise<unknown>][] = [
    ['inserted without a seal', insertCopy('with its own id', sql`null`)],
    ['inserted with the seal of another entry', insertCopy('with its own id', waitingSeal)],
    ['inserted a second time with its seal', insertCopy('to the letter', waitingSeal)],
    [
      'changed in its columns and its leaf',
      (db) =>
        sql`update audit_entry set operation = 'delete', leaf = replace(leaf, '"update"', '"delete"')
          where id = ${waitingEntryId}`.execute(db),
    ],
    ['deleted while it waits', (db) => sql`delete from audit_entry where id = ${waitingEntryId}`.execute(db)],
    ['with an invalid seal', (db) => sql`update audit_pending set seal = 'zz' || substring(seal from 3)`.execute(db)],
  ]
  for (const [edit, change] of edits)
    it(`Nothing is signed over an entry ${edit}, and a check reports it (fault 13g)`, async () => {
      const checkpointBefore = await readLatest()
      await runAsSuperuser(change)
      expect(await integrate(app)).toBe(0)
      expect(await readLatest()).toEqual(checkpointBefore)
      expect(getLogAlarm(app, companyId)).toMatchObject({ fault: 'ENTRY_UNSEALED' })
      expect(await verify()).not.toEqual([])
      // A complete check does not clear the alarm.
      await write()
      expect(await integrate(app)).toBe(0)
      expect(getLogAlarm(app, companyId)).toMatchObject({ fault: 'ENTRY_UNSEALED' })
    })

  it('An entry that was moved to the log of another company is not signed there (fault 13g)', async () => {
    const otherCompanyId = (await addAdmin(app, 'other')).companyId
    await runAsSuperuser((db) =>
      sql`update audit_pending set company_id = ${otherCompanyId} where entry_id = ${waitingEntryId}`.execute(db),
    )
    await integrate(app)
    expect(getLogAlarm(app, otherCompanyId)).toMatchObject({ fault: 'ENTRY_UNSEALED' })
    expect((await verify()).map(({ company_id }) => company_id)).toContain(companyId)
  })

  it('Entries from before the migration are sealed by it, and accepted under a new key (fault 13g)', async () => {
    await runAsSuperuser((db) => sql`update audit_pending set seal = null`.execute(db))
    await sealWaitingEntries(app)
    const auditKeyNext = Buffer.alloc(32, 7)
    app = { ...app, config: { ...app.config, auditKeyNext } }
    await write()
    expect(await integrate(app)).toBe(2)
    await write()
    app = {
      ...app,
      config: { ...app.config, auditKey: auditKeyNext, auditName: getLogsName(fixture), auditKeyNext: null },
    }
    expect(await integrate(app)).toBe(1)
    expect(await verify()).toEqual([])
  })

  it('The migration that seals waiting entries seals nothing if it is run again (fault 13q)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portal-seals-'))
    app = { ...app, checkpointStore: createFileStore(join(folder, 'store.json')) }
    expect(await integrate(app)).toBe(1)
    await write()
    await runAsSuperuser(async (db) => {
      await insertCopy('with its own id', sql`null`)(db)
      await sql`update audit_pending set seal = null`.execute(db)
    })
    await sealWaitingEntries(app)
    expect(await integrate(app)).toBe(0)
    expect(getLogAlarm(app, companyId)).toMatchObject({ fault: 'ENTRY_UNSEALED' })
    // The waiting entries of an older backup are sealed after the operator has declared its restore.
    app = { ...app, database: { ...app.database, appliedMigrations: [sealMigration] } }
    await beginEpoch(app)
    await expect.poll(() => integrate(app)).toBe(3)
    await rm(folder, { recursive: true })
  })
})
