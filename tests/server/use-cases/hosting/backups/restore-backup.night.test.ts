/** Tests restoring a backup into its own service or another service of the company, completely or not at all (contracts 3, Z-26). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { hostingJobKinds } from '#server/jobs/job-registry.ts'
import { restoreRetries } from '#server/jobs/restore-backup.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import {
  createBackedUpService,
  backUpNow,
  readBackupRows,
  type BackupFixture,
  readTrafficByRun,
  openBackups,
  workAll,
  runJob,
} from '#tests/support/hosting/backup-fixture.ts'
import { waitUntilHealthy } from '#tests/support/hosting/hosting.ts'
import { readItems, putItems } from '#tests/support/hosting/instance-items.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'

describe('restoring a backup', () => {
  const fixture = setUpShop('postgres')
  let backupFixture: BackupFixture
  let alpha: SignedIn
  let id = 0
  let backupId = 0
  const waits = [...restoreRetries.delaysMs]
  afterEach(() => {
    restoreRetries.delaysMs = waits
    return backupFixture.end()
  })
  beforeEach(async () => {
    restoreRetries.delaysMs = [1]
    backupFixture = openBackups(fixture.server)
    alpha = await fixture.server.signIn('order@alpha')
    id = await createBackedUpService(fixture.server, alpha, 'alpha1')
    putItems(backupFixture.host, 'alpha1', id, ['old', 'data'])
    await backUpNow(fixture.server, alpha, id)
    backupId = (await readBackupRows(fixture.server)).at(-1)?.id ?? 0
    putItems(backupFixture.host, 'alpha1', id, ['new'])
  }, 60_000)

  const runAsSystem = <T>(work: Parameters<typeof runInTransaction<T>>[2]) =>
    runInTransaction(fixture.server.app, { role: 'portal_system' }, work)
  const restore = (service_id = id, backup_id = backupId, caller = alpha) =>
    runJob(fixture.server, caller, '/api/pdb/restore', { backup_id, service_id })
  const listItems = (code = 'alpha1', serviceId = id) => readItems(backupFixture.host, code, serviceId)
  const readRow = async (): Promise<ServiceResponse> => (await alpha.send({ url: '/api/aws/service' })).json().data[0]
  const readPlan = async (caller = alpha, serviceId = id) =>
    (await caller.send({ url: `/api/pdb/plan/${serviceId}` })).json()
  const getArchive = () => [...backupFixture.places.archives][0] ?? ['', Buffer.alloc(0)]

  test('restores all data, and the service runs as before', async () => {
    const rowBefore = await readRow()
    expect(await restore()).toEqual({
      status: 200,
      body: { backup_id: backupId, service_id: id, tables: 6, rows: 3 },
    })
    expect(listItems()).toEqual(['old', 'data'])
    await waitUntilHealthy(backupFixture.host.driver, { serviceId: id, code: 'alpha1' })
    const rowAfter = await readRow()
    expect(rowAfter).toMatchObject({ operation: null, system_status: rowBefore.system_status, online: 1, fault: null })
    const { bytes } = (await readBackupRows(fixture.server))[0] ?? {}
    expect(Object.values(await readTrafficByRun(fixture.server))).toEqual([bytes, bytes])
    expect((await readPlan()).restores).toMatchObject([
      { backup_id: backupId, from_code: 'alpha1', ok: true, fault: null, user_name: expect.stringContaining('order') },
    ])
    const entries = await runAsSystem((db) =>
      db.selectFrom('audit_entry').selectAll().where('operation', '=', 'restore').execute(),
    )
    expect(entries).toMatchObject([
      { code: 'backup', status: 0, info: { BackupId: backupId, FromService: 'alpha1', IntoService: 'alpha1' } },
    ])
  }, 60_000)

  nightly(
    'can use another service of the company, also on request of staff',
    async () => {
      const secondId = await createBackedUpService(fixture.server, alpha, 'alpha2')
      const copyResult = await backUpNow(fixture.server, alpha, id, 'pdb2rds')
      const staff = await fixture.server.signIn('admin@m18')
      const copyId = (copyResult.body as { id: number }).id
      expect(await restore(secondId, copyId, staff)).toMatchObject({ status: 200, body: { service_id: secondId } })
      expect([listItems('alpha2', secondId), listItems()]).toEqual([['new'], ['new']])
      expect((await readPlan(alpha, secondId)).restores).toMatchObject([{ from_code: 'alpha1', user_name: null }])
      expect((await readPlan(staff, secondId)).restores).toMatchObject([
        { user_name: expect.stringContaining('admin') },
      ])
      // A restore from the second database causes no billed traffic.
      expect(Object.keys(await readTrafficByRun(fixture.server))).toEqual([`backup-${backupId}`])
    },
    90_000,
  )

  nightly(
    'runs one at a time, and keeps a stopped service stopped',
    async () => {
      await alpha.send({
        method: 'POST',
        url: `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=1000&task_desire_count=0`,
      })
      await alpha.send({ method: 'POST', url: `/api/aws/reboot/${id}` })
      expect((await restore()).status).toBe(423)
      while (await runOneJob(fixture.server.app, hostingJobKinds));
      await alpha.send({ method: 'POST', url: `/api/aws/reboot/${id}` })
      while (await runOneJob(fixture.server.app, hostingJobKinds));
      const startResponse = await alpha.send({
        method: 'POST',
        url: '/api/pdb/restore',
        payload: { backup_id: backupId, service_id: id },
      })
      expect(startResponse.statusCode).toBe(202)
      expect(await readRow()).toMatchObject({ operation: { kind: 'restore-backup' } })
      const backupResponse = await alpha.send({
        method: 'POST',
        url: '/api/pdb/backup',
        payload: { service_id: id, pdb_type: 'pdb2s3' },
      })
      expect(backupResponse.json()).toMatchObject({ errorCode: 'RESOURCE_LOCKED', data: { action: 'restore-backup' } })
      await workAll(fixture.server)
      expect(listItems()).toEqual(['old', 'data'])
      expect(await readRow()).toMatchObject({ operation: null, system_status: 4, running_tasks: 0 })
    },
    60_000,
  )

  test('reports a damaged, truncated, foreign or missing archive, and the service keeps its data', async () => {
    const [key, archiveBytes] = getArchive()
    const flippedBytes = Buffer.from(archiveBytes)
    const middle = Math.floor(archiveBytes.length / 2)
    flippedBytes[middle] = (flippedBytes[middle] ?? 0) ^ 4
    const { tasks } = await waitUntilHealthy(backupFixture.host.driver, { serviceId: id, code: 'alpha1' })
    for (const wrongBytes of [
      flippedBytes,
      archiveBytes.subarray(0, -1),
      archiveBytes.subarray(0, 20),
      Buffer.from('no archive'),
    ]) {
      backupFixture.places.archives.set(key, wrongBytes)
      expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'damaged' } } })
    }
    // This is a complete archive of the same service, but of a later backup.
    putItems(backupFixture.host, 'alpha1', id, ['later'])
    await backUpNow(fixture.server, alpha, id)
    const laterArchive = [...backupFixture.places.archives].find(([name]) => name !== key)?.[1]
    backupFixture.places.archives.set(key, laterArchive ?? Buffer.alloc(0))
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'damaged' } } })
    backupFixture.places.archives.delete(key)
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'missing' } } })
    expect(listItems()).toEqual(['later'])
    expect((await waitUntilHealthy(backupFixture.host.driver, { serviceId: id, code: 'alpha1' })).tasks).toMatchObject([
      { started: tasks[0]?.started },
    ])
    expect(await readRow()).toMatchObject({ operation: null, system_status: 2 })
    const currentPlan = await readPlan()
    expect(currentPlan.restores).toHaveLength(5)
    expect(currentPlan.restores[0]).toMatchObject({ ok: false, fault: 'missing' })
    const failedEntries = await runAsSystem((db) =>
      db.selectFrom('audit_entry').selectAll().where('operation', '=', 'restore').where('status', '=', -1).execute(),
    )
    expect(failedEntries.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 'backup'))
    backupFixture.places.archives.set(key, archiveBytes)
    const { config } = fixture.server.app
    fixture.server.app.config = { ...config, backupKey: Buffer.alloc(32, 7) }
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'no_key' } } })
    fixture.server.app.config = { ...config, backupKey: Buffer.alloc(32, 7), backupKeysBefore: [config.tokenKey] }
    expect(await restore()).toMatchObject({ status: 200 })
    fixture.server.app.config = config
    expect(listItems()).toEqual(['old', 'data'])
  }, 90_000)

  nightly(
    'is retried while the store is unreachable, and frees the service when it fails',
    async () => {
      backupFixture.places.fault = 'unreachable'
      expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'unreachable' } } })
      expect(await readRow()).toMatchObject({ operation: null })
      expect(listItems()).toEqual(['new'])
    },
    60_000,
  )

  test('is refused with a reason, and returns 404 to other companies', async () => {
    const beta = await fixture.server.signIn('order@beta')
    const betaOrder = await buyOrder(fixture.server, beta, { code: 'beta1' })
    const [betaService] = (await beta.send({ url: '/api/aws/service' })).json().data
    expect(betaOrder.status).toBe(1)
    expect((await restore(betaService.id, backupId, beta)).status).toBe(404)
    expect((await restore(id, backupId, beta)).status).toBe(404)
    // Staff cannot restore it either: data of one company is never restored for another company.
    expect((await restore(betaService.id, backupId, await fixture.server.signIn('admin@m18'))).status).toBe(404)
    expect((await restore(id, 4711)).status).toBe(404)
    await runAsSystem((db) => db.updateTable('service').set({ traffic_disabled: true }).where('id', '=', id).execute())
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'traffic_disabled' } } })
    await runAsSystem((db) => db.updateTable('service').set({ traffic_disabled: false }).where('id', '=', id).execute())
    await runAsSystem((db) => db.updateTable('backup').set({ state: 'removed' }).execute())
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'not_done' } } })
    await runAsSystem((db) => db.updateTable('backup').set({ state: 'done' }).execute())
    await buyOrder(fixture.server, alpha, { code: 'alpha3' })
    const [bareService] = (await alpha.send({ url: '/api/aws/service?searchText=alpha3' })).json().data
    expect(await restore(bareService.id)).toMatchObject({ status: 409, body: { data: { why: 'not_created' } } })
    fixture.server.app.config.hosting = 'off'
    expect(await restore()).toMatchObject({ body: { errorCode: 'NOT_SUPPORT' } })
    fixture.server.app.config.hosting = 'local'
    expect(listItems()).toEqual(['new'])
  }, 60_000)
})
