/**
 * Tests changes of an audit trail by a database superuser: afterwards the integrator signs nothing, and a complete check detects the
 * change.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PROVIDER } from '#domain/access.ts'
import type { AppContext } from '#server/context/context.ts'
import { readLatestCheckpoint } from '#server/db/audit/audit-log.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { createFileStore } from '#server/drivers/checkpoint-store/file-store.ts'
import type { QueuedMail } from '#server/use-cases/mail/mail-kinds.ts'
import { mailJob } from '#server/use-cases/mail/request-mail.ts'
import { composeMail } from '#server/use-cases/mail-words/compose-mail.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { checkCompleteLogs } from '#server/use-cases/audit/check-complete-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { getLogsName } from '#server/use-cases/audit/log-identity.ts'
import { getLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { readStoredNotes } from '#server/use-cases/audit/stored-notes.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { onBothEngines, bypassPolicies } from '#tests/support/server/database.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'
import { replaceInLeaf, runStatements, trailEdits } from '#tests/support/audit-trail/trail-edits.ts'
import { restoreSnapshot, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

onBothEngines('a forged audit trail', (fixture, engine) => {
  let app: AppContext
  let folder: string
  let companyId: number
  let now: number
  /**
   * State with 300 entries over three days and three checkpoints: permanent checkpoints of 100 and 200 entries, and the latest checkpoint.
   * It is written once and restored from a snapshot for each test.
   */
  let savedState: { companyId: number; snapshot: Snapshot; store: string } | null = null
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portal-checkpoints-'))
    now = Date.parse('2026-03-02T02:00:00Z')
    app = { ...fixture, clock: () => now, checkpointStore: createFileStore(join(folder, 'store.json')) }
    if (savedState) {
      await restoreSnapshot(app.database, savedState.snapshot)
      await writeFile(join(folder, 'store.json'), savedState.store)
      ;({ companyId } = savedState)
    } else {
      companyId = (await addAdmin(app, 'acme')).companyId
      for (let day = 0; day < 3; day++, now += dayMs) expect(await write(100)).toBe(100)
      const store = await readFile(join(folder, 'store.json'), 'utf8')
      savedState = { companyId, snapshot: await takeSnapshot(app.database), store }
    }
    now = Date.parse('2026-03-04T03:00:00Z')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const runAsSystem = <T>(work: (db: DatabaseHandle) => Promise<T>) => runInTransaction(app, system, work)
  const runAsSuperuser = (work: (db: DatabaseHandle) => Promise<unknown>) =>
    bypassPolicies(app.database, async (db) => void (await work(db)))
  const readLatest = () => runAsSystem((db) => readLatestCheckpoint(db, companyId))
  async function write(count: number): Promise<number> {
    await writeGeneratedEntries(app, { companyId, count, startAt: now })
    return integrate(app)
  }
  async function verify() {
    const storedNotes = (await readStoredNotes(app)) ?? new Map<number, string>()
    return runAsSystem((db) => findBrokenEntries(app, db, { storedNotes }))
  }
  /** Simulates a new process, which has no results of earlier checks in memory. */
  const restartServer = () => {
    app = { ...app }
  }

  const applyEdit = async (index: number, db: DatabaseHandle) => trailEdits(companyId)[index]?.[1](db)

  /** Edits that are tested by day, on PostgreSQL only. By night all edits are tested on both engines. */
  const daytimeEdits = [
    'an entry deleted with its leaf',
    'the last entries deleted with their leaves, tiles and checkpoint',
    'the details of an entry changed in leaf, tiles and tree',
    'the user of an entry changed in the column',
    'the time of an entry changed in the column',
    'an entry inserted between others, and the tree rebuilt',
    'two entries swapped',
    'the latest checkpoint altered',
    'the whole trail removed',
    'entries removed as if they were archived',
  ]
  for (const [index, [edit]] of trailEdits(0).entries())
    (engine === 'postgres' && daytimeEdits.includes(edit) ? it : nightly)(
      `Nothing is signed after this edit, writes continue, and a check finds it: ${edit} (fault 13e)`,
      async () => {
        const checkpointBefore = await readLatest()
        await runAsSuperuser((db) => applyEdit(index, db))
        const checkpointAfter = await readLatest()
        expect(await write(3)).toBe(0)
        expect(await readLatest()).toEqual(checkpointAfter)
        expect(getLogAlarm(app, companyId)).not.toBeNull()
        expect((await readStoredNotes(app))?.get(companyId)).toBe(checkpointBefore?.note)
        // A restarted server does not sign either.
        restartServer()
        expect(await write(2)).toBe(0)
        expect((await verify()).map(({ company_id }) => company_id)).toContain(companyId)
        // The entries are stored and wait, while the logs of other companies continue.
        expect(await runAsSystem((db) => db.selectFrom('audit_pending').select('entry_id').execute())).toHaveLength(5)
        await writeGeneratedEntries(app, { companyId: companyId + 1, count: 2, startAt: now })
        expect(await integrate(app)).toBe(2)
      },
    )

  it('An unchanged trail raises no alarm, and writing continues (fault 13a)', async () => {
    expect(await verify()).toEqual([])
    await checkCompleteLogs(app)
    expect(await write(300)).toBe(300)
    expect(getLogAlarm(app, companyId)).toBeNull()
    expect((await readStoredNotes(app))?.get(companyId)).toBe((await readLatest())?.note)
    expect(await verify()).toEqual([])
  })

  it('A long log is checked completely at start and daily, with one mail a day (fault 13a)', async () => {
    const { userId } = await addAdmin(app, PROVIDER)
    await runAsSystem((db) => db.updateTable('portal_user').set({ alert: true }).where('id', '=', userId).execute())
    await write(700)
    await runAsSuperuser(async (db) => void (await replaceInLeaf(companyId, 400, '"n":100', '"n":101').execute(db)))
    restartServer()
    await checkCompleteLogs(app)
    expect(getLogAlarm(app, companyId)).toEqual({ fault: 'ENTRY_DIFFERS', from: 400, to: 401 })
    expect(await write(1)).toBe(0)
    now += hourMs
    await checkCompleteLogs(app)
    const mails = await runAsSystem((db) => db.selectFrom('job').select('input').where('kind', '=', mailJob).execute())
    expect(mails).toHaveLength(1)
    const mail = await runAsSystem((db) => composeMail(db, app, mails[0]?.input as QueuedMail))
    expect(mail?.message).toMatchObject({
      subject: expect.stringContaining('The audit trail was changed'),
      text: expect.stringContaining('(acme)'),
    })
    await runAsSuperuser(async (db) => void (await replaceInLeaf(companyId, 400, '"n":101', '"n":100').execute(db)))
    // The edit is reverted, as from a backup. The complete log is checked before it is signed again.
    await expect.poll(() => integrate(app)).toBe(1)
    expect(getLogAlarm(app, companyId)).toBeNull()
  })

  const checkpointEdits: [string, (db: DatabaseHandle) => Promise<unknown>][] = [
    ['removed', runStatements(() => sql`delete from audit_checkpoint where company_id = ${companyId} and size = 100`)],
    [
      'the checkpoint of the previous day removed',
      runStatements(() => sql`delete from audit_checkpoint where company_id = ${companyId} and size = 200`),
    ],
    [
      'altered',
      runStatements(
        () =>
          sql`update audit_checkpoint set note = replace(note, E'\n100\n', E'\n101\n') where company_id = ${companyId} and size = 100`,
      ),
    ],
    [
      'replaced by another checkpoint',
      runStatements(
        () =>
          sql`update audit_checkpoint set note = (select note from audit_checkpoint where size = 200) where size = 100`,
      ),
    ],
    [
      'marked for deletion',
      runStatements(
        () => sql`update audit_checkpoint set is_permanent = false where company_id = ${companyId} and size = 100`,
      ),
    ],
    [
      'added',
      runStatements(
        () =>
          sql`insert into audit_checkpoint select company_id, 150, note, end_time, true, null from audit_checkpoint where size = 100`,
      ),
    ],
  ]
  for (const [edit, applyCheckpointEdit] of checkpointEdits)
    (engine === 'postgres' && ['removed', 'altered'].includes(edit) ? it : nightly)(
      `A check finds a changed old checkpoint, also after later checkpoints: ${edit} (fault 13b)`,
      async () => {
        await runAsSuperuser(applyCheckpointEdit)
        expect((await verify()).map(({ company_id }) => company_id)).toEqual(expect.arrayContaining([companyId]))
        await write(2)
        now += dayMs
        await write(2)
        restartServer()
        expect((await verify()).map(({ company_id }) => company_id)).toEqual(expect.arrayContaining([companyId]))
      },
    )

  it('A trail reset to an older state is only detected with the checkpoint store (fault 13e)', async () => {
    const tables = ['audit_entry', 'audit_leaf', 'audit_tile', 'audit_checkpoint', 'audit_pending'] as const
    await runAsSuperuser(async (db) => {
      for (const table of tables)
        await sql`create table ${sql.table(`old_${table}`)} as table ${sql.table(table)}`.execute(db)
    })
    await write(50)
    await runAsSuperuser(async (db) => {
      for (const table of tables) {
        await sql`delete from ${sql.table(table)}`.execute(db)
        await sql`insert into ${sql.table(table)} select * from ${sql.table(`old_${table}`)}`.execute(db)
        await sql`drop table ${sql.table(`old_${table}`)}`.execute(db)
      }
    })
    expect(await write(60)).toBe(0)
    expect(getLogAlarm(app, companyId)).toEqual({ fault: 'LOG_SHRANK', from: 300, to: 350 })
    restartServer()
    expect(await verify()).toEqual([{ company_id: companyId, id: 300 }])
    // The older state is consistent in itself. Only the checkpoint store reveals it.
    app = { ...app, checkpointStore: noCheckpointStore }
    expect(await verify()).toEqual([])
  })

  it('A key change is refused unless the former key signed it (fault 13e)', async () => {
    const checkpointBefore = await readLatest()
    const otherConfig = { ...app.config, auditKey: Buffer.alloc(32, 9) }
    app = { ...app, config: otherConfig }
    expect(await write(1)).toBe(0)
    expect((await verify()).map(({ company_id }) => company_id)).toContain(companyId)
    expect(await readLatest()).toEqual(checkpointBefore)
    const config = { ...fixture.config, auditName: getLogsName(fixture) }
    app = { ...app, config: { ...fixture.config, auditKeyNext: Buffer.alloc(32, 9) } }
    await expect.poll(() => write(1)).toBeGreaterThan(0)
    app = { ...app, config: { ...config, auditKey: Buffer.alloc(32, 9) } }
    expect(await write(1)).toBe(1)
    expect(await verify()).toEqual([])
  })

  it('After a declared restore, the log and the store continue from the restored state (fault 13d)', async () => {
    const checkpointBefore = await readLatest()
    await runAsSuperuser(async (db) => {
      await applyEdit(3, db)
    })
    expect(await integrate(app)).toBe(0)
    restartServer()
    expect(await beginEpoch(app)).toEqual({ epoch: 1, changedCompanyIds: [] })
    expect(await write(3)).toBe(4)
    expect(await verify()).toEqual([])
    const { logs, replaced } = JSON.parse(await readFile(join(folder, 'store.json'), 'utf8')) as Record<string, object>
    expect(logs).toEqual({ [companyId]: (await readLatest())?.note })
    expect(replaced).toEqual({ [companyId]: checkpointBefore?.note })
  })

  it('A log that differs from its own checkpoints is reported even after a declared restore (fault 13d)', async () => {
    await runAsSuperuser(async (db) => {
      await applyEdit(2, db)
    })
    expect(await beginEpoch(app)).toEqual({ epoch: 1, changedCompanyIds: [companyId] })
    expect(await write(3)).toBe(0)
  })
})
