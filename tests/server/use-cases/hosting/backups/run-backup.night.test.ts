/** "Back up now", from the call to what lies in the bucket and the second database (contracts 9, Z-26). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { backupKinds } from '#server/jobs/registry.ts'
import { retries } from '#server/jobs/run-backup.ts'
import { workOne } from '#server/jobs/runner.ts'
import { readBackup } from '#server/use-cases/hosting/backups/read-backup.ts'
import { stallMs } from '#server/use-cases/hosting/backups/stalls.ts'
import {
  backedUpService,
  backUpNow,
  backupRows,
  backupsOf,
  type BackedUp,
  movedOf,
  openBackups,
} from '#tests/support/hosting/backed-up.ts'
import { putItems } from '#tests/support/hosting/instance-items.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'

describe('a backup', () => {
  const the = setUpShop('postgres')
  let backed: BackedUp
  let alpha: SignedIn
  let id = 0
  const waits = [...retries.waits]
  afterEach(() => {
    retries.waits = waits
    stallMs.limit = 600_000
    return backed.end()
  })
  beforeEach(async () => {
    retries.waits = [1, 1]
    backed = openBackups(the.server)
    alpha = await the.server.signIn('order@alpha')
    id = await backedUpService(the.server, alpha, 'alpha1')
    putItems(backed.host, 'alpha1', id, ['first', '雨', 'third'])
  }, 60_000)

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  const ask = async (by = alpha, payload: object = { service_id: id, pdb_type: 'pdb2s3' }) => {
    const answer = await by.send({ method: 'POST', url: '/api/pdb/backup', payload })
    return { status: answer.statusCode, ...answer.json() }
  }

  test('of either kind holds all of the data, and says what it is', async () => {
    for (const [pdb_type, key] of [
      ['pdb2s3', expect.stringMatching(/^age1/)],
      ['pdb2rds', null],
    ] as const) {
      const { status, body } = await backUpNow(the.server, alpha, id, pdb_type)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { state: 'done', cause: 'person', pdb_type, tables: 6, rows: 4, key_id: key, fault: null },
      })
    }
    const [archive, copy] = await backupRows(the.server)
    expect(archive?.place).toMatch(/^company-\d+\/service-\d+\/\d{4}-\d\d-\d\dT\d{6}Z-\d+\.age$/)
    expect(copy?.place).toMatch(/^copy_service_\d+_backup_\d+_\d{14}$/)
    expect(archive?.digest).toBe(copy?.digest)
    expect([...backed.places.archives.keys()]).toEqual([archive?.place])
    expect([...backed.places.copies.all.keys()]).toEqual([copy?.place])
    const held = backed.places.archives.get(archive?.place ?? '')
    expect([held?.length, (await movedOf(the.server))[`backup-${archive?.id}`]]).toEqual([
      archive?.bytes,
      archive?.bytes,
    ])
    const live = await Array.fromAsync(backed.host.driver.readData({ serviceId: id, code: 'alpha1' }))
    for (const row of [archive, copy])
      expect(row && (await Array.fromAsync(readBackup(the.server.app, row, () => undefined)))).toEqual(live)
    expect((await backupsOf(alpha, id)).map(({ user_name, state }) => [user_name, state])).toEqual([
      [expect.stringContaining('order'), 'done'],
      [expect.stringContaining('order'), 'done'],
    ])
  }, 60_000)

  test('is one at a time for a service and kind, and a second asking says who makes it', async () => {
    const first = await ask()
    expect(first.status).toBe(202)
    const staff = await the.server.signIn('admin@m18')
    expect(await ask(staff)).toMatchObject({
      status: 423,
      data: { user: expect.stringContaining('order'), action: 'run-backup' },
    })
    expect((await ask(staff, { service_id: id, pdb_type: 'pdb2rds' })).status).toBe(202)
    // To a customer the provider's people have no name.
    expect(await ask(alpha, { service_id: id, pdb_type: 'pdb2rds' })).toMatchObject({
      status: 423,
      data: { user: null, action: 'run-backup' },
    })
    expect((await backupsOf(alpha, id)).map(({ user_name }) => user_name)).toEqual([
      null,
      expect.stringContaining('order'),
    ])
    expect((await backupsOf(staff, id)).map(({ user_name }) => user_name)).toEqual([
      expect.stringContaining('admin'),
      expect.stringContaining('order'),
    ])
  }, 60_000)

  test('is refused with its reason, and is nobody else’s', async () => {
    const beta = await the.server.signIn('order@beta')
    expect(await ask(beta)).toMatchObject({ status: 404 })
    expect(await ask(await the.server.signIn('user@alpha'))).toMatchObject({ status: 403 })
    expect((await beta.send({ url: `/api/pdb/backup?serviceId=${id}` })).statusCode).toBe(404)
    expect((await beta.send({ url: `/api/pdb/plan/${id}` })).statusCode).toBe(404)
    await asSystem((db) => db.updateTable('service').set({ traffic_disabled: true }).where('id', '=', id).execute())
    expect(await ask()).toMatchObject({ status: 409, data: { why: 'traffic_disabled' } })
    await asSystem((db) => db.updateTable('backup_order').set({ status: 0 }).where('service_id', '=', id).execute())
    expect(await ask()).toMatchObject({ status: 409, data: { why: 'not_subscribed' } })
    the.server.app.config.hosting = 'off'
    expect(await ask()).toMatchObject({ errorCode: 'NOT_SUPPORT' })
    the.server.app.config.hosting = 'local'
    await asSystem((db) => db.updateTable('service').set({ system_status: 0 }).where('id', '=', id).execute())
    await asSystem((db) => db.updateTable('backup_order').set({ status: 1 }).where('service_id', '=', id).execute())
    expect(await ask(alpha, { service_id: id, pdb_type: 'pdb2rds' })).toMatchObject({
      status: 409,
      data: { why: 'not_created' },
    })
    expect(await backupRows(the.server)).toEqual([])
  }, 60_000)

  test('that the store refuses fails with its reason, in the trail and with the service, until one succeeds', async () => {
    const faults = ['refused', 'no_room', 'damaged', 'missing'] as const
    for (const fault of faults) {
      backed.places.fails = fault
      expect(await backUpNow(the.server, alpha, id)).toMatchObject({ status: 409, body: { data: { why: fault } } })
    }
    expect((await backupsOf(alpha, id)).map(({ fault }) => fault).toReversed()).toEqual(faults)
    const entries = await asSystem((db) =>
      db.selectFrom('audit_entry').selectAll().where('code', '=', 'backup').orderBy('id').execute(),
    )
    expect(entries.slice(0, 2).map(({ operation, status }) => [operation, status])).toEqual([
      ['backup', 0],
      ['backup', -1],
    ])
    const failing = async () => (await alpha.send({ url: '/api/aws/service' })).json().data[0].failing_backups
    expect(await failing()).toEqual(['pdb2s3'])
    backed.places.fails = null
    expect(await backUpNow(the.server, alpha, id)).toMatchObject({ status: 200 })
    expect(await failing()).toEqual([])
  }, 60_000)

  nightly(
    'is tried again where nobody answers, under another place, and given up in the end',
    async () => {
      backed.places.fails = 'unreachable'
      expect(await backUpNow(the.server, alpha, id)).toMatchObject({
        status: 409,
        body: { data: { why: 'unreachable' } },
      })
      const [failed] = await backupRows(the.server)
      expect(failed).toMatchObject({ state: 'failed', fault: 'unreachable', bytes: null })
      await backed.host.driver.erase({ serviceId: id, code: 'alpha1' }, { fence: 1000 })
      backed.places.fails = null
      expect(await backUpNow(the.server, alpha, id)).toMatchObject({
        status: 409,
        body: { data: { why: 'no_instance' } },
      })
    },
    60_000,
  )

  nightly(
    'that hangs is given up',
    async () => {
      stallMs.limit = 100
      retries.waits = []
      backed.places.held = new Promise(() => undefined)
      expect(await backUpNow(the.server, alpha, id)).toMatchObject({
        status: 409,
        body: { data: { why: 'unreachable' } },
      })
    },
    60_000,
  )

  nightly(
    'of a service that is deleted meanwhile ends with that, and warns nobody',
    async () => {
      await ask()
      await asSystem((db) =>
        db.updateTable('service').set({ system_status: 0, erase_date: null }).where('id', '=', id).execute(),
      )
      await workOne(the.server.app, backupKinds)
      expect(await backupRows(the.server)).toMatchObject([{ state: 'failed', fault: 'no_instance' }])
      const [service] = await asSystem((db) => db.selectFrom('service').selectAll().where('id', '=', id).execute())
      expect(service?.failing_backups).toEqual([])
    },
    60_000,
  )

  nightly(
    'that was cut off begins again in another place, and leaves nothing in the first',
    async () => {
      await ask()
      const [begun] = await backupRows(the.server)
      await asSystem((db) =>
        db.updateTable('backup').set({ place: 'company-1/service-1/2026-01-01T000000Z-1.age' }).execute(),
      )
      backed.places.archives.set('company-1/service-1/2026-01-01T000000Z-1.age', Buffer.from('half'))
      await workOne(the.server.app, backupKinds)
      const [ended] = await backupRows(the.server)
      expect(ended).toMatchObject({ id: begun?.id, state: 'done' })
      expect([...backed.places.archives.keys()]).toEqual([ended?.place])
    },
    60_000,
  )
})
