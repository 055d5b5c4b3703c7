/** Tests the scheduled work on backups: nightly backups, retries, warnings by mail, restore drills and deletion. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toTimestamp } from '#domain/time.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { hostingJobKinds } from '#server/jobs/job-registry.ts'
import { backupRetries } from '#server/jobs/run-backup.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { expireBackups, cleanUpBackups } from '#server/use-cases/hosting/backups/expire-backups.ts'
import { getNextNightTime, startDueBackups } from '#server/use-cases/hosting/backups/start-due-backups.ts'
import {
  createBackedUpService,
  backUpNow,
  readBackupRows,
  listBackups,
  type BackupFixture,
  openBackups,
  workAll,
} from '#tests/support/hosting/backup-fixture.ts'
import { createMailBox } from '#tests/support/server/mail-box.ts'
import { putItems } from '#tests/support/hosting/instance-items.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { shopOpenedAt, setUpShop } from '#tests/support/orders/shop-data.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

describe('the time of the next nightly backup', () => {
  const zone = { timeZone: 'Asia/Hong_Kong', backupHour: 1 }
  test('is within a day, between 1:00 and 5:00, and always the same minute for a service', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.nat(10 * 365 * dayMs),
        fc.constantFrom('pdb2s3', 'pdb2rds'),
        (id, offsetMs, type) => {
          const now = shopOpenedAt + offsetMs
          const next = getNextNightTime(zone, { id, type }, now)
          const minute = toTimestamp(zone.timeZone, next).slice(11, 16)
          expect(next).toBeGreaterThan(now)
          expect(next).toBeLessThanOrEqual(now + dayMs)
          expect(minute >= '01:00' && minute < '05:00').toBe(true)
          expect(getNextNightTime(zone, { id, type }, next)).toBe(next + dayMs)
        },
      ),
    )
  })

  test('is spread over the night, and differs for the two kinds of a service', () => {
    const getNextNight = (id: number, type: 'pdb2s3' | 'pdb2rds') => getNextNightTime(zone, { id, type }, shopOpenedAt)
    const counts = new Map<number, number>()
    for (let id = 1; id <= 240; id++)
      counts.set(getNextNight(id, 'pdb2s3'), (counts.get(getNextNight(id, 'pdb2s3')) ?? 0) + 1)
    expect(Math.max(...counts.values())).toBe(1)
    expect(Math.abs(getNextNight(5, 'pdb2s3') - getNextNight(5, 'pdb2rds'))).toBe(2 * hourMs)
  })
})

describe('scheduled backups', () => {
  const fixture = setUpShop('embedded')
  const inbox = createMailBox(() => fixture.server.app)
  let backupFixture: BackupFixture
  let alpha: SignedIn
  let id = 0
  const originalRetries = { ...backupRetries, delaysMs: [...backupRetries.delaysMs] }
  afterEach(() => {
    backupRetries.delaysMs = originalRetries.delaysMs
    return backupFixture.end()
  })
  beforeEach(async () => {
    backupRetries.delaysMs = []
    backupFixture = openBackups(fixture.server)
    const { users } = fixture.server.world
    await runAsSystem((db) =>
      db
        .updateTable('portal_user')
        .set({ alert: true })
        .where('id', 'in', [users['order@alpha'] ?? 0, users['order@beta'] ?? 0, users['admin@m18'] ?? 0])
        .execute(),
    )
    alpha = await fixture.server.signIn('order@alpha')
    id = await createBackedUpService(fixture.server, alpha, 'alpha1')
    putItems(backupFixture.host, 'alpha1', id, ['first'])
    await inbox.fetch()
  }, 60_000)

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  /** Runs the schedule on two nodes at the same time, then all jobs. Returns the number of started backups. */
  async function runBackupSchedule(): Promise<number> {
    const [firstCount, secondCount] = await Promise.all([
      startDueBackups(fixture.server.app),
      startDueBackups(fixture.server.app),
    ])
    await workAll(fixture.server)
    return firstCount + secondCount
  }
  const advanceClock = (ms: number) => (fixture.server.clock.now += ms)
  const listStates = async () =>
    (await readBackupRows(fixture.server)).map(({ pdb_type, state, cause }) => `${pdb_type} ${state} ${cause}`)
  const readMails = async () =>
    (await inbox.fetch()).map(({ to, subject }) => `${to.address}: ${subject.split(' · ')[0]}`).toSorted()
  const readPlan = async () => {
    alpha = await fixture.server.signIn('order@alpha')
    return (await alpha.send({ url: `/api/pdb/plan/${id}` })).json()
  }
  const readService = async () =>
    await runAsSystem((db) => db.selectFrom('service').selectAll().where('id', '=', id).executeTakeFirstOrThrow())
  const listDrills = () =>
    runAsSystem((db) => db.selectFrom('restore').selectAll().where('kind', '=', 'drill').orderBy('id').execute())
  /** Disables the second kind, so that each test has one backup of each schedule. */
  const disableCopies = () =>
    runAsSystem((db) => db.updateTable('backup_order').set({ status: 0 }).where('pdb_type', '=', 'pdb2rds').execute())

  test('start soon after the subscription and then each night, only once per kind on two nodes', async () => {
    expect((await readPlan()).pdb2s3).toEqual({
      next_run: toTimestamp('Asia/Hong_Kong', fixture.server.clock.now),
      last_good: null,
      fault: null,
    })
    await runBackupSchedule()
    expect(await listStates()).toEqual(['pdb2s3 done schedule', 'pdb2rds done schedule'])
    expect((await listBackups(alpha, id)).map(({ user_name }) => user_name)).toEqual([null, null])
    const { next_run, last_good } = (await readPlan()).pdb2s3
    expect(next_run).toMatch(/^2026-03-03 0[1-4]:/)
    expect(last_good).toBe(toTimestamp('Asia/Hong_Kong', fixture.server.clock.now))
    advanceClock(hourMs)
    await runBackupSchedule()
    expect(await listStates()).toHaveLength(2)
    advanceClock(dayMs - hourMs)
    await runBackupSchedule()
    expect(await listStates()).toHaveLength(4)
    expect(await readMails()).toEqual([])
    const entries = await runAsSystem((db) =>
      db.selectFrom('audit_entry').selectAll().where('code', '=', 'backup').execute(),
    )
    expect(entries.map(({ exec_user_id, info }) => [exec_user_id, info.By])).toEqual(
      Array.from({ length: 4 }, () => [null, 'schedule']),
    )
  }, 60_000)

  test('skip services that are suspended, unpaid, deleted or busy', async () => {
    await disableCopies()
    const updateService = (fields: object) =>
      runAsSystem((db) => db.updateTable('service').set(fields).where('id', '=', id).execute())
    await updateService({ traffic_disabled: true })
    expect(await runBackupSchedule()).toBe(0)
    expect((await readPlan()).traffic_disabled_by).toBe('overdue')
    await updateService({ traffic_blocked: true })
    expect(await readPlan()).toMatchObject({ traffic_disabled_by: 'staff', pdb2s3: { next_run: null } })
    await updateService({ traffic_disabled: false, traffic_blocked: false, system_status: 0 })
    expect(await runBackupSchedule()).toBe(0)
    await updateService({ system_status: 2 })
    await alpha.send({ method: 'POST', url: `/api/aws/reboot/${id}` })
    expect(await runBackupSchedule()).toBe(0)
    while (await runOneJob(fixture.server.app, hostingJobKinds));
    await runAsSystem((db) =>
      db
        .updateTable('backup_order')
        .set({ period_start: sql<never>`'2026-03-01'`, period_end: sql<never>`'2026-03-02'` })
        .execute(),
    )
    expect(await runBackupSchedule()).toBe(0)
    await runAsSystem((db) => db.updateTable('backup_order').set({ period_end: sql<never>`'2026-03-03'` }).execute())
    expect(await runBackupSchedule()).toBeGreaterThan(0)
  }, 60_000)

  nightly(
    'are retried an hour after a failure, with a mail at first and once a day',
    async () => {
      await disableCopies()
      backupFixture.places.fault = 'refused'
      await runBackupSchedule()
      expect(await listStates()).toEqual(['pdb2s3 failed schedule'])
      const expectedMails = [
        'admin@m18.example: Backups of a service are failing',
        'order@alpha.example: Backups of a service are failing',
      ]
      expect(await readMails()).toEqual(expectedMails)
      expect(inbox.mails.at(-1)?.text).toMatch(/pdb2s3.*alpha1/)
      expect((await readPlan()).pdb2s3).toMatchObject({
        fault: 'refused',
        last_good: null,
        next_run: toTimestamp('Asia/Hong_Kong', fixture.server.clock.now + hourMs),
      })
      advanceClock(hourMs - 1000)
      await runBackupSchedule()
      expect(await listStates()).toHaveLength(1)
      for (let hours = 1; hours < 24; hours++) {
        advanceClock(hourMs)
        await runBackupSchedule()
      }
      expect(await listStates()).toHaveLength(24)
      expect(await readMails()).toEqual([])
      advanceClock(hourMs)
      await runBackupSchedule()
      expect(await readMails()).toEqual(expectedMails)
      expect((await readService()).failing_backups).toEqual(['pdb2s3'])
      advanceClock(hourMs)
      backupFixture.places.fault = null
      await runBackupSchedule()
      expect((await readService()).failing_backups).toEqual([])
      // A new failure is reported immediately.
      advanceClock(dayMs)
      backupFixture.places.fault = 'no_room'
      await runBackupSchedule()
      expect(await readMails()).toEqual(expectedMails)
    },
    90_000,
  )

  nightly(
    'send no mail about a failure that is over',
    async () => {
      await disableCopies()
      backupFixture.places.fault = 'refused'
      await runBackupSchedule()
      backupFixture.places.fault = null
      await backUpNow(fixture.server, alpha, id)
      expect(await readMails()).toEqual([])
    },
    60_000,
  )

  nightly(
    'fail if no job works on them any longer, and their archive is deleted',
    async () => {
      await disableCopies()
      await startDueBackups(fixture.server.app)
      await runAsSystem((db) => db.deleteFrom('job').execute())
      await runAsSystem((db) =>
        db.updateTable('backup').set({ location: 'company-1/service-1/2026-03-02T020000Z-1.age' }).execute(),
      )
      backupFixture.places.archives.set('company-1/service-1/2026-03-02T020000Z-1.age', Buffer.from('x'))
      advanceClock(9 * 60_000)
      await startDueBackups(fixture.server.app)
      expect(await listStates()).toEqual(['pdb2s3 running schedule'])
      advanceClock(2 * 60_000)
      await startDueBackups(fixture.server.app)
      expect(await readBackupRows(fixture.server)).toMatchObject([{ state: 'failed', fault: 'interrupted' }])
      expect(await expireBackups(fixture.server.app)).toBe(1)
      expect([...backupFixture.places.archives]).toEqual([])
      expect(await expireBackups(fixture.server.app)).toBe(0)
    },
    60_000,
  )

  nightly(
    'are restored once a week as a drill, and a failed drill is reported until one succeeds',
    async () => {
      await disableCopies()
      await runBackupSchedule()
      await runBackupSchedule()
      expect(await listDrills()).toMatchObject([{ state: 'done', fault: null, service_id: null }])
      const [firstBackup] = await readBackupRows(fixture.server)
      expect(firstBackup?.drilled).toBe(fixture.server.clock.now)
      expect((await readPlan()).drill).toMatchObject({ ok: true, backup_id: firstBackup?.id, fault: null })
      for (let days = 0; days < 6; days++) {
        advanceClock(dayMs)
        await runBackupSchedule()
      }
      expect(await listDrills()).toHaveLength(1)
      expect(await readMails()).toEqual([])
      const [key, latestArchive] = [...backupFixture.places.archives].toSorted().at(-1) ?? ['', Buffer.alloc(0)]
      backupFixture.places.archives.set(key, latestArchive.subarray(0, -1))
      await runAsSystem((db) =>
        db
          .updateTable('service')
          .set({ next_pdb2s3: fixture.server.clock.now + 2 * dayMs })
          .execute(),
      )
      advanceClock(dayMs)
      await runBackupSchedule()
      expect(await listDrills()).toMatchObject([{ state: 'done' }, { state: 'failed', fault: 'damaged' }])
      expect((await readPlan()).drill).toMatchObject({ ok: false, fault: 'damaged' })
      expect((await readService()).failing_backups).toEqual(['pdb2s3'])
      expect(await readMails()).toHaveLength(2)
      // The drill of the failed backup is not repeated, but the next backup is tested without waiting for a week.
      await runBackupSchedule()
      expect(await listDrills()).toHaveLength(2)
      advanceClock(dayMs)
      await runBackupSchedule()
      await runBackupSchedule()
      expect((await listDrills()).map(({ state }) => state)).toEqual(['done', 'failed', 'done'])
      expect((await readService()).failing_backups).toEqual([])
    },
    90_000,
  )

  test('are kept by number and age, the latest as long as its service exists', async () => {
    await disableCopies()
    const { config } = fixture.server.app
    fixture.server.app.config = { ...config, backupKeepCount: 3, backupKeepDays: 10 }
    for (let count = 0; count < 5; count++) {
      await backUpNow(fixture.server, alpha, id)
      advanceClock(1000)
    }
    await expireBackups(fixture.server.app)
    expect((await readBackupRows(fixture.server)).map(({ state }) => state)).toEqual([
      'removed',
      'removed',
      'done',
      'done',
      'done',
    ])
    expect(backupFixture.places.archives.size).toBe(3)
    expect((await readBackupRows(fixture.server)).filter(({ location }) => location === null)).toHaveLength(2)
    advanceClock(11 * dayMs)
    // If the store is unreachable, the deletion is retried later.
    backupFixture.places.fault = 'unreachable'
    expect(await expireBackups(fixture.server.app)).toBe(0)
    backupFixture.places.fault = null
    expect(await expireBackups(fixture.server.app)).toBe(2)
    expect((await readBackupRows(fixture.server)).map(({ state }) => state).at(-1)).toBe('done')
    expect(backupFixture.places.archives.size).toBe(1)
    const staff = await fixture.server.signIn('delete@m18')
    expect((await staff.send({ method: 'DELETE', url: `/api/aws/service/${id}` })).statusCode).toBe(202)
    while (await runOneJob(fixture.server.app, hostingJobKinds));
    advanceClock(30 * dayMs)
    await expireBackups(fixture.server.app)
    expect(backupFixture.places.archives.size).toBe(1)
    advanceClock(2000)
    await expireBackups(fixture.server.app)
    expect(backupFixture.places.archives.size).toBe(0)
    fixture.server.app.config = config
  }, 60_000)

  nightly(
    'delete archives of outdated attempts, but no archive that the database does not know',
    async () => {
      await disableCopies()
      await backUpNow(fixture.server, alpha, id)
      const [row] = await readBackupRows(fixture.server)
      const ownKey = row?.location ?? ''
      const buildKey = (time: string, number: number) => `company-1/service-1/${time}Z-${number}.age`
      const [overtakenKey, olderKey, unknownKey] = [
        buildKey('2026-03-02T020200', 1),
        buildKey('2026-02-01T020200', 1),
        buildKey('2026-03-02T020200', 99),
      ]
      for (const key of [overtakenKey, olderKey, unknownKey, 'company-1/something-else'])
        backupFixture.places.archives.set(key.replace('Z-1.', `Z-${row?.id}.`), Buffer.from('x'))
      backupFixture.places.copies.piecesByPath.set(`copy_service_1_backup_${row?.id}_20260302020200`, [])
      expect(await cleanUpBackups(fixture.server.app)).toBe(0)
      advanceClock(2 * hourMs)
      expect(await cleanUpBackups(fixture.server.app)).toBe(2)
      expect([...backupFixture.places.archives.keys()].toSorted()).toEqual(
        [ownKey, olderKey.replace('Z-1.', `Z-${row?.id}.`), unknownKey, 'company-1/something-else'].toSorted(),
      )
      expect(backupFixture.places.copies.piecesByPath.size).toBe(0)
    },
    60_000,
  )
})
