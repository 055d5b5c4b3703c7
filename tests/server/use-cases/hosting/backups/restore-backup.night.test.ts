/** A backup put into its own service or another one of the company: all of it, or the service is as it was (contracts 3, Z-26). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { hostingKinds } from '#server/jobs/registry.ts'
import { restoreRetries } from '#server/jobs/restore-backup.ts'
import { workOne } from '#server/jobs/runner.ts'
import type { ServiceAnswer } from '#server/use-cases/hosting/service-rows.ts'
import {
  backedUpService,
  backUpNow,
  backupRows,
  type BackedUp,
  movedOf,
  openBackups,
  workAll,
  worked,
} from '#tests/support/hosting/backed-up.ts'
import { healthy } from '#tests/support/hosting/hosting.ts'
import { itemsOf, putItems } from '#tests/support/hosting/instance-items.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { bought, setUpShop } from '#tests/support/orders/shop-data.ts'

describe('a restore', () => {
  const the = setUpShop('postgres')
  let backed: BackedUp
  let alpha: SignedIn
  let id = 0
  let backupId = 0
  const waits = [...restoreRetries.waits]
  afterEach(() => {
    restoreRetries.waits = waits
    return backed.end()
  })
  beforeEach(async () => {
    restoreRetries.waits = [1]
    backed = openBackups(the.server)
    alpha = await the.server.signIn('order@alpha')
    id = await backedUpService(the.server, alpha, 'alpha1')
    putItems(backed.host, 'alpha1', id, ['old', 'data'])
    await backUpNow(the.server, alpha, id)
    backupId = (await backupRows(the.server)).at(-1)?.id ?? 0
    putItems(backed.host, 'alpha1', id, ['new'])
  }, 60_000)

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  const restore = (service_id = id, backup_id = backupId, by = alpha) =>
    worked(the.server, by, '/api/pdb/restore', { backup_id, service_id })
  const items = (code = 'alpha1', of = id) => itemsOf(backed.host, code, of)
  const row = async (): Promise<ServiceAnswer> => (await alpha.send({ url: '/api/aws/service' })).json().data[0]
  const plan = async (by = alpha, of = id) => (await by.send({ url: `/api/pdb/plan/${of}` })).json()
  const archive = () => [...backed.places.archives][0] ?? ['', Buffer.alloc(0)]

  test('puts all of it back, and the service runs as before', async () => {
    const before = await row()
    expect(await restore()).toEqual({
      status: 200,
      body: { backup_id: backupId, service_id: id, tables: 6, rows: 3 },
    })
    expect(items()).toEqual(['old', 'data'])
    await healthy(backed.host.driver, { serviceId: id, code: 'alpha1' })
    const after = await row()
    expect(after).toMatchObject({ operation: null, system_status: before.system_status, online: 1, fault: null })
    const { bytes } = (await backupRows(the.server))[0] ?? {}
    expect(Object.values(await movedOf(the.server))).toEqual([bytes, bytes])
    expect((await plan()).restores).toMatchObject([
      { backup_id: backupId, from_code: 'alpha1', ok: true, fault: null, user_name: expect.stringContaining('order') },
    ])
    const entries = await asSystem((db) =>
      db.selectFrom('audit_entry').selectAll().where('operation', '=', 'restore').execute(),
    )
    expect(entries).toMatchObject([
      { code: 'backup', status: 0, info: { BackupId: backupId, FromService: 'alpha1', IntoService: 'alpha1' } },
    ])
  }, 60_000)

  nightly(
    'puts it into another service of the company, asked for by the staff whom the customer does not know',
    async () => {
      const second = await backedUpService(the.server, alpha, 'alpha2')
      const copied = await backUpNow(the.server, alpha, id, 'pdb2rds')
      const staff = await the.server.signIn('admin@m18')
      const copyId = (copied.body as { id: number }).id
      expect(await restore(second, copyId, staff)).toMatchObject({ status: 200, body: { service_id: second } })
      expect([items('alpha2', second), items()]).toEqual([['new'], ['new']])
      expect((await plan(alpha, second)).restores).toMatchObject([{ from_code: 'alpha1', user_name: null }])
      expect((await plan(staff, second)).restores).toMatchObject([{ user_name: expect.stringContaining('admin') }])
      // A copy of the second database moves nothing that is billed.
      expect(Object.keys(await movedOf(the.server))).toEqual([`backup-${backupId}`])
    },
    90_000,
  )

  nightly(
    'is an operation of the service: one at a time, and what it stopped stays stopped',
    async () => {
      await alpha.send({
        method: 'POST',
        url: `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=1000&task_desire_count=0`,
      })
      await alpha.send({ method: 'POST', url: `/api/aws/reboot/${id}` })
      expect((await restore()).status).toBe(423)
      while (await workOne(the.server.app, hostingKinds));
      await alpha.send({ method: 'POST', url: `/api/aws/reboot/${id}` })
      while (await workOne(the.server.app, hostingKinds));
      const begun = await alpha.send({
        method: 'POST',
        url: '/api/pdb/restore',
        payload: { backup_id: backupId, service_id: id },
      })
      expect(begun.statusCode).toBe(202)
      expect(await row()).toMatchObject({ operation: { kind: 'restore-backup' } })
      const second = await alpha.send({
        method: 'POST',
        url: '/api/pdb/backup',
        payload: { service_id: id, pdb_type: 'pdb2s3' },
      })
      expect(second.json()).toMatchObject({ errorCode: 'RESOURCE_LOCKED', data: { action: 'restore-backup' } })
      await workAll(the.server)
      expect(items()).toEqual(['old', 'data'])
      expect(await row()).toMatchObject({ operation: null, system_status: 4, running_tasks: 0 })
    },
    60_000,
  )

  test('that meets a flipped bit, a cut archive, another one in its place or none says so, and the service keeps its data', async () => {
    const [key, whole] = archive()
    const flipped = Buffer.from(whole)
    const at = Math.floor(whole.length / 2)
    flipped[at] = (flipped[at] ?? 0) ^ 4
    const { tasks } = await healthy(backed.host.driver, { serviceId: id, code: 'alpha1' })
    for (const wrong of [flipped, whole.subarray(0, -1), whole.subarray(0, 20), Buffer.from('no archive')]) {
      backed.places.archives.set(key, wrong)
      expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'damaged' } } })
    }
    // A whole one, and of the same service, but of another day.
    putItems(backed.host, 'alpha1', id, ['later'])
    await backUpNow(the.server, alpha, id)
    const later = [...backed.places.archives].find(([name]) => name !== key)?.[1]
    backed.places.archives.set(key, later ?? Buffer.alloc(0))
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'damaged' } } })
    backed.places.archives.delete(key)
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'missing' } } })
    expect(items()).toEqual(['later'])
    expect((await healthy(backed.host.driver, { serviceId: id, code: 'alpha1' })).tasks).toMatchObject([
      { started: tasks[0]?.started },
    ])
    expect(await row()).toMatchObject({ operation: null, system_status: 2 })
    const shown = await plan()
    expect(shown.restores).toHaveLength(5)
    expect(shown.restores[0]).toMatchObject({ ok: false, fault: 'missing' })
    const failed = await asSystem((db) =>
      db.selectFrom('audit_entry').selectAll().where('operation', '=', 'restore').where('status', '=', -1).execute(),
    )
    expect(failed.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 'backup'))
    backed.places.archives.set(key, whole)
    const { config } = the.server.app
    the.server.app.config = { ...config, backupKey: Buffer.alloc(32, 7) }
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'no_key' } } })
    the.server.app.config = { ...config, backupKey: Buffer.alloc(32, 7), backupKeysBefore: [config.tokenKey] }
    expect(await restore()).toMatchObject({ status: 200 })
    the.server.app.config = config
    expect(items()).toEqual(['old', 'data'])
  }, 90_000)

  nightly(
    'is tried again where the store does not answer, and leaves the service free when it is given up',
    async () => {
      backed.places.fails = 'unreachable'
      expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'unreachable' } } })
      expect(await row()).toMatchObject({ operation: null })
      expect(items()).toEqual(['new'])
    },
    60_000,
  )

  test('is refused with its reason, and of no other company', async () => {
    const beta = await the.server.signIn('order@beta')
    const theirs = await bought(the.server, beta, { code: 'beta1' })
    const [betaService] = (await beta.send({ url: '/api/aws/service' })).json().data
    expect(theirs.status).toBe(1)
    expect((await restore(betaService.id, backupId, beta)).status).toBe(404)
    expect((await restore(id, backupId, beta)).status).toBe(404)
    // Not by the staff either: what is of one company goes to no other.
    expect((await restore(betaService.id, backupId, await the.server.signIn('admin@m18'))).status).toBe(404)
    expect((await restore(id, 4711)).status).toBe(404)
    await asSystem((db) => db.updateTable('service').set({ traffic_disabled: true }).where('id', '=', id).execute())
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'traffic_disabled' } } })
    await asSystem((db) => db.updateTable('service').set({ traffic_disabled: false }).where('id', '=', id).execute())
    await asSystem((db) => db.updateTable('backup').set({ state: 'removed' }).execute())
    expect(await restore()).toMatchObject({ status: 409, body: { data: { why: 'not_done' } } })
    await asSystem((db) => db.updateTable('backup').set({ state: 'done' }).execute())
    await bought(the.server, alpha, { code: 'alpha3' })
    const [bare] = (await alpha.send({ url: '/api/aws/service?searchText=alpha3' })).json().data
    expect(await restore(bare.id)).toMatchObject({ status: 409, body: { data: { why: 'not_created' } } })
    the.server.app.config.hosting = 'off'
    expect(await restore()).toMatchObject({ body: { errorCode: 'NOT_SUPPORT' } })
    the.server.app.config.hosting = 'local'
    expect(items()).toEqual(['new'])
  }, 60_000)
})
