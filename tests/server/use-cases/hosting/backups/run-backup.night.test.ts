/** Tests the call "Back up now", from the request to the data in the bucket and the second database (contracts 9, Z-26). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { backupJobKinds } from '#server/jobs/job-registry.ts'
import { backupRetries } from '#server/jobs/run-backup.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { readBackup } from '#server/use-cases/hosting/backups/read-backup.ts'
import { stallMs } from '#server/use-cases/hosting/backups/stalls.ts'
import {
  createBackedUpService,
  backUpNow,
  readBackupRows,
  listBackups,
  type BackupFixture,
  readTrafficByRun,
  openBackups,
} from '#tests/support/hosting/backup-fixture.ts'
import { putItems } from '#tests/support/hosting/instance-items.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'

describe('running a backup', () => {
  const fixture = setUpShop('postgres')
  let backupFixture: BackupFixture
  let alpha: SignedIn
  let id = 0
  const waits = [...backupRetries.delaysMs]
  afterEach(() => {
    backupRetries.delaysMs = waits
    stallMs.limit = 600_000
    return backupFixture.end()
  })
  beforeEach(async () => {
    backupRetries.delaysMs = [1, 1]
    backupFixture = openBackups(fixture.server)
    alpha = await fixture.server.signIn('order@alpha')
    id = await createBackedUpService(fixture.server, alpha, 'alpha1')
    putItems(backupFixture.host, 'alpha1', id, ['first', '雨', 'third'])
  }, 60_000)

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  const requestBackup = async (caller = alpha, payload: object = { service_id: id, pdb_type: 'pdb2s3' }) => {
    const response = await caller.send({ method: 'POST', url: '/api/pdb/backup', payload })
    return { status: response.statusCode, ...response.json() }
  }

  test('stores all data for both kinds of backup, and describes the stored data', async () => {
    for (const [pdb_type, key] of [
      ['pdb2s3', expect.stringMatching(/^age1/)],
      ['pdb2rds', null],
    ] as const) {
      const { status, body } = await backUpNow(fixture.server, alpha, id, pdb_type)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { state: 'done', cause: 'person', pdb_type, tables: 6, rows: 4, key_id: key, fault: null },
      })
    }
    const [archiveRow, copyRow] = await readBackupRows(fixture.server)
    expect(archiveRow?.location).toMatch(/^company-\d+\/service-\d+\/\d{4}-\d\d-\d\dT\d{6}Z-\d+\.age$/)
    expect(copyRow?.location).toMatch(/^copy_service_\d+_backup_\d+_\d{14}$/)
    expect(archiveRow?.digest).toBe(copyRow?.digest)
    expect([...backupFixture.places.archives.keys()]).toEqual([archiveRow?.location])
    expect([...backupFixture.places.copies.piecesByPath.keys()]).toEqual([copyRow?.location])
    const storedArchive = backupFixture.places.archives.get(archiveRow?.location ?? '')
    expect([storedArchive?.length, (await readTrafficByRun(fixture.server))[`backup-${archiveRow?.id}`]]).toEqual([
      archiveRow?.bytes,
      archiveRow?.bytes,
    ])
    const livePieces = await Array.fromAsync(backupFixture.host.driver.readData({ serviceId: id, code: 'alpha1' }))
    for (const row of [archiveRow, copyRow])
      expect(row && (await Array.fromAsync(readBackup(fixture.server.app, row, () => undefined)))).toEqual(livePieces)
    expect((await listBackups(alpha, id)).map(({ user_name, state }) => [user_name, state])).toEqual([
      [expect.stringContaining('order'), 'done'],
      [expect.stringContaining('order'), 'done'],
    ])
  }, 60_000)

  test('runs only once at a time per service and kind, and a second request names the user of the first', async () => {
    const response = await requestBackup()
    expect(response.status).toBe(202)
    const staff = await fixture.server.signIn('admin@m18')
    expect(await requestBackup(staff)).toMatchObject({
      status: 423,
      data: { user: expect.stringContaining('order'), action: 'run-backup' },
    })
    expect((await requestBackup(staff, { service_id: id, pdb_type: 'pdb2rds' })).status).toBe(202)
    // Customers do not see the names of provider staff.
    expect(await requestBackup(alpha, { service_id: id, pdb_type: 'pdb2rds' })).toMatchObject({
      status: 423,
      data: { user: null, action: 'run-backup' },
    })
    expect((await listBackups(alpha, id)).map(({ user_name }) => user_name)).toEqual([
      null,
      expect.stringContaining('order'),
    ])
    expect((await listBackups(staff, id)).map(({ user_name }) => user_name)).toEqual([
      expect.stringContaining('admin'),
      expect.stringContaining('order'),
    ])
  }, 60_000)

  test('is refused with a reason, with 404 to other companies and 403 without the order right', async () => {
    const beta = await fixture.server.signIn('order@beta')
    expect(await requestBackup(beta)).toMatchObject({ status: 404 })
    expect(await requestBackup(await fixture.server.signIn('user@alpha'))).toMatchObject({ status: 403 })
    expect((await beta.send({ url: `/api/pdb/backup?serviceId=${id}` })).statusCode).toBe(404)
    expect((await beta.send({ url: `/api/pdb/plan/${id}` })).statusCode).toBe(404)
    await runAsSystem((db) => db.updateTable('service').set({ traffic_disabled: true }).where('id', '=', id).execute())
    expect(await requestBackup()).toMatchObject({ status: 409, data: { why: 'traffic_disabled' } })
    await runAsSystem((db) => db.updateTable('backup_order').set({ status: 0 }).where('service_id', '=', id).execute())
    expect(await requestBackup()).toMatchObject({ status: 409, data: { why: 'not_subscribed' } })
    fixture.server.app.config.hosting = 'off'
    expect(await requestBackup()).toMatchObject({ errorCode: 'NOT_SUPPORT' })
    fixture.server.app.config.hosting = 'local'
    await runAsSystem((db) => db.updateTable('service').set({ system_status: 0 }).where('id', '=', id).execute())
    await runAsSystem((db) => db.updateTable('backup_order').set({ status: 1 }).where('service_id', '=', id).execute())
    expect(await requestBackup(alpha, { service_id: id, pdb_type: 'pdb2rds' })).toMatchObject({
      status: 409,
      data: { why: 'not_created' },
    })
    expect(await readBackupRows(fixture.server)).toEqual([])
  }, 60_000)

  test('records a failure of the store in the trail and at the service until a backup succeeds', async () => {
    const faults = ['refused', 'no_room', 'damaged', 'missing'] as const
    for (const fault of faults) {
      backupFixture.places.fault = fault
      expect(await backUpNow(fixture.server, alpha, id)).toMatchObject({ status: 409, body: { data: { why: fault } } })
    }
    expect((await listBackups(alpha, id)).map(({ fault }) => fault).toReversed()).toEqual(faults)
    const entries = await runAsSystem((db) =>
      db.selectFrom('audit_entry').selectAll().where('code', '=', 'backup').orderBy('id').execute(),
    )
    expect(entries.slice(0, 2).map(({ operation, status }) => [operation, status])).toEqual([
      ['backup', 0],
      ['backup', -1],
    ])
    const readFailingBackups = async () =>
      (await alpha.send({ url: '/api/aws/service' })).json().data[0].failing_backups
    expect(await readFailingBackups()).toEqual(['pdb2s3'])
    backupFixture.places.fault = null
    expect(await backUpNow(fixture.server, alpha, id)).toMatchObject({ status: 200 })
    expect(await readFailingBackups()).toEqual([])
  }, 60_000)

  nightly(
    'is retried at another location while the store is unreachable, and fails in the end',
    async () => {
      backupFixture.places.fault = 'unreachable'
      expect(await backUpNow(fixture.server, alpha, id)).toMatchObject({
        status: 409,
        body: { data: { why: 'unreachable' } },
      })
      const [failedBackup] = await readBackupRows(fixture.server)
      expect(failedBackup).toMatchObject({ state: 'failed', fault: 'unreachable', bytes: null })
      await backupFixture.host.driver.erase({ serviceId: id, code: 'alpha1' }, { fence: 1000 })
      backupFixture.places.fault = null
      expect(await backUpNow(fixture.server, alpha, id)).toMatchObject({
        status: 409,
        body: { data: { why: 'no_instance' } },
      })
    },
    60_000,
  )

  nightly(
    'fails if it hangs',
    async () => {
      stallMs.limit = 100
      backupRetries.delaysMs = []
      backupFixture.places.blockedUntil = new Promise(() => undefined)
      expect(await backUpNow(fixture.server, alpha, id)).toMatchObject({
        status: 409,
        body: { data: { why: 'unreachable' } },
      })
    },
    60_000,
  )

  nightly(
    'ends without a warning if its service is deleted meanwhile',
    async () => {
      await requestBackup()
      await runAsSystem((db) =>
        db.updateTable('service').set({ system_status: 0, erase_date: null }).where('id', '=', id).execute(),
      )
      await runOneJob(fixture.server.app, backupJobKinds)
      expect(await readBackupRows(fixture.server)).toMatchObject([{ state: 'failed', fault: 'no_instance' }])
      const [service] = await runAsSystem((db) => db.selectFrom('service').selectAll().where('id', '=', id).execute())
      expect(service?.failing_backups).toEqual([])
    },
    60_000,
  )

  nightly(
    'starts again at another location after a kill, and deletes the first archive',
    async () => {
      await requestBackup()
      const [startedBackup] = await readBackupRows(fixture.server)
      await runAsSystem((db) =>
        db.updateTable('backup').set({ location: 'company-1/service-1/2026-01-01T000000Z-1.age' }).execute(),
      )
      backupFixture.places.archives.set('company-1/service-1/2026-01-01T000000Z-1.age', Buffer.from('half'))
      await runOneJob(fixture.server.app, backupJobKinds)
      const [endedBackup] = await readBackupRows(fixture.server)
      expect(endedBackup).toMatchObject({ id: startedBackup?.id, state: 'done' })
      expect([...backupFixture.places.archives.keys()]).toEqual([endedBackup?.location])
    },
    60_000,
  )
})
