/** What the clock does about backups: the nightly ones, retries, warnings by mail, restore drills, and what it takes away. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { timestampIn } from '#domain/time.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { hostingKinds } from '#server/jobs/registry.ts'
import { retries } from '#server/jobs/run-backup.ts'
import { workOne } from '#server/jobs/runner.ts'
import { keepBackups, tidyBackups } from '#server/use-cases/hosting/backups/keep-backups.ts'
import { nextNight, tendBackups } from '#server/use-cases/hosting/backups/tend-backups.ts'
import {
  backedUpService,
  backUpNow,
  backupRows,
  backupsOf,
  type BackedUp,
  openBackups,
  workAll,
} from '#tests/support/hosting/backed-up.ts'
import { mailBox } from '#tests/support/server/mailed.ts'
import { putItems } from '#tests/support/hosting/instance-items.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { began, setUpShop } from '#tests/support/orders/shop-data.ts'

const hour = 3_600_000
const day = 24 * hour

describe('the next night', () => {
  const zone = { timeZone: 'Asia/Hong_Kong', backupHour: 1 }
  test('is within a day, from one to five, the same minute for the same service', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.nat(10 * 365 * day),
        fc.constantFrom('pdb2s3', 'pdb2rds'),
        (id, after, type) => {
          const now = began + after
          const next = nextNight(zone, { id, type }, now)
          const minute = timestampIn(zone.timeZone, next).slice(11, 16)
          expect(next).toBeGreaterThan(now)
          expect(next).toBeLessThanOrEqual(now + day)
          expect(minute >= '01:00' && minute < '05:00').toBe(true)
          expect(nextNight(zone, { id, type }, next)).toBe(next + day)
        },
      ),
    )
  })

  test('is spread: no minute has many, and the two kinds of a service lie apart', () => {
    const at = (id: number, type: 'pdb2s3' | 'pdb2rds') => nextNight(zone, { id, type }, began)
    const counts = new Map<number, number>()
    for (let id = 1; id <= 240; id++) counts.set(at(id, 'pdb2s3'), (counts.get(at(id, 'pdb2s3')) ?? 0) + 1)
    expect(Math.max(...counts.values())).toBe(1)
    expect(Math.abs(at(5, 'pdb2s3') - at(5, 'pdb2rds'))).toBe(2 * hour)
  })
})

describe('backups are tended', () => {
  const the = setUpShop('embedded')
  const box = mailBox(() => the.server.app)
  let backed: BackedUp
  let alpha: SignedIn
  let id = 0
  const given = { ...retries, waits: [...retries.waits] }
  afterEach(() => {
    retries.waits = given.waits
    return backed.end()
  })
  beforeEach(async () => {
    retries.waits = []
    backed = openBackups(the.server)
    const { users } = the.server.world
    await asSystem((db) =>
      db
        .updateTable('portal_user')
        .set({ alert: true })
        .where('id', 'in', [users['order@alpha'] ?? 0, users['order@beta'] ?? 0, users['admin@m18'] ?? 0])
        .execute(),
    )
    alpha = await the.server.signIn('order@alpha')
    id = await backedUpService(the.server, alpha, 'alpha1')
    putItems(backed.host, 'alpha1', id, ['first'])
    await box.fetch()
  }, 60_000)

  const asSystem = <T>(work: Parameters<typeof inTransaction<T>>[2]) =>
    inTransaction(the.server.app, { role: 'portal_system' }, work)
  /** Both looks of a moment, since another node looks too; then all that came of them. */
  async function tend(): Promise<number> {
    const [first, second] = await Promise.all([tendBackups(the.server.app), tendBackups(the.server.app)])
    await workAll(the.server)
    return first + second
  }
  const pass = (ms: number) => (the.server.clock.now += ms)
  const states = async () =>
    (await backupRows(the.server)).map(({ pdb_type, state, cause }) => `${pdb_type} ${state} ${cause}`)
  const mails = async () =>
    (await box.fetch()).map(({ to, subject }) => `${to.address}: ${subject.split(' · ')[0]}`).toSorted()
  const plan = async () => {
    alpha = await the.server.signIn('order@alpha')
    return (await alpha.send({ url: `/api/pdb/plan/${id}` })).json()
  }
  const service = async () =>
    await asSystem((db) => db.selectFrom('service').selectAll().where('id', '=', id).executeTakeFirstOrThrow())
  const drills = () =>
    asSystem((db) => db.selectFrom('restore').selectAll().where('kind', '=', 'drill').orderBy('id').execute())
  /** Only one kind, so that a test counts one of each. */
  const onlyArchives = () =>
    asSystem((db) => db.updateTable('backup_order').set({ status: 0 }).where('pdb_type', '=', 'pdb2rds').execute())

  test('soon after the subscription, and then each night, once for each kind, though two nodes look', async () => {
    expect((await plan()).pdb2s3).toEqual({
      next_run: timestampIn('Asia/Hong_Kong', the.server.clock.now),
      last_good: null,
      fault: null,
    })
    await tend()
    expect(await states()).toEqual(['pdb2s3 done schedule', 'pdb2rds done schedule'])
    expect((await backupsOf(alpha, id)).map(({ user_name }) => user_name)).toEqual([null, null])
    const { next_run, last_good } = (await plan()).pdb2s3
    expect(next_run).toMatch(/^2026-03-03 0[1-4]:/)
    expect(last_good).toBe(timestampIn('Asia/Hong_Kong', the.server.clock.now))
    pass(hour)
    await tend()
    expect(await states()).toHaveLength(2)
    pass(day - hour)
    await tend()
    expect(await states()).toHaveLength(4)
    expect(await mails()).toEqual([])
    const entries = await asSystem((db) =>
      db.selectFrom('audit_entry').selectAll().where('code', '=', 'backup').execute(),
    )
    expect(entries.map(({ exec_user_id, info }) => [exec_user_id, info.By])).toEqual(
      Array.from({ length: 4 }, () => [null, 'schedule']),
    )
  }, 60_000)

  test('not what is suspended, not paid for any more, gone, or being worked on', async () => {
    await onlyArchives()
    const set = (fields: object) =>
      asSystem((db) => db.updateTable('service').set(fields).where('id', '=', id).execute())
    await set({ traffic_disabled: true })
    expect(await tend()).toBe(0)
    expect((await plan()).traffic_disabled_by).toBe('overdue')
    await set({ traffic_blocked: true })
    expect(await plan()).toMatchObject({ traffic_disabled_by: 'staff', pdb2s3: { next_run: null } })
    await set({ traffic_disabled: false, traffic_blocked: false, system_status: 0 })
    expect(await tend()).toBe(0)
    await set({ system_status: 2 })
    await alpha.send({ method: 'POST', url: `/api/aws/reboot/${id}` })
    expect(await tend()).toBe(0)
    while (await workOne(the.server.app, hostingKinds));
    await asSystem((db) =>
      db
        .updateTable('backup_order')
        .set({ period_start: sql<never>`'2026-03-01'`, period_end: sql<never>`'2026-03-02'` })
        .execute(),
    )
    expect(await tend()).toBe(0)
    await asSystem((db) => db.updateTable('backup_order').set({ period_end: sql<never>`'2026-03-03'` }).execute())
    expect(await tend()).toBeGreaterThan(0)
  }, 60_000)

  nightly(
    'again an hour after a failure, with a mail when it begins and once a day, to who wants it',
    async () => {
      await onlyArchives()
      backed.places.fails = 'refused'
      await tend()
      expect(await states()).toEqual(['pdb2s3 failed schedule'])
      const told = [
        'admin@m18.example: Backups of a service are failing',
        'order@alpha.example: Backups of a service are failing',
      ]
      expect(await mails()).toEqual(told)
      expect(box.mails.at(-1)?.text).toMatch(/pdb2s3.*alpha1/)
      expect((await plan()).pdb2s3).toMatchObject({
        fault: 'refused',
        last_good: null,
        next_run: timestampIn('Asia/Hong_Kong', the.server.clock.now + hour),
      })
      pass(hour - 1000)
      await tend()
      expect(await states()).toHaveLength(1)
      for (let hours = 1; hours < 24; hours++) {
        pass(hour)
        await tend()
      }
      expect(await states()).toHaveLength(24)
      expect(await mails()).toEqual([])
      pass(hour)
      await tend()
      expect(await mails()).toEqual(told)
      expect((await service()).failing_backups).toEqual(['pdb2s3'])
      pass(hour)
      backed.places.fails = null
      await tend()
      expect((await service()).failing_backups).toEqual([])
      // It begins anew: told at once.
      pass(day)
      backed.places.fails = 'no_room'
      await tend()
      expect(await mails()).toEqual(told)
    },
    90_000,
  )

  nightly(
    'a mail about a failure that is over by then is not sent',
    async () => {
      await onlyArchives()
      backed.places.fails = 'refused'
      await tend()
      backed.places.fails = null
      await backUpNow(the.server, alpha, id)
      expect(await mails()).toEqual([])
    },
    60_000,
  )

  nightly(
    'what nobody works on any more is given up, and what it stored goes',
    async () => {
      await onlyArchives()
      await tendBackups(the.server.app)
      await asSystem((db) => db.deleteFrom('job').execute())
      await asSystem((db) =>
        db.updateTable('backup').set({ place: 'company-1/service-1/2026-03-02T020000Z-1.age' }).execute(),
      )
      backed.places.archives.set('company-1/service-1/2026-03-02T020000Z-1.age', Buffer.from('x'))
      pass(9 * 60_000)
      await tendBackups(the.server.app)
      expect(await states()).toEqual(['pdb2s3 running schedule'])
      pass(2 * 60_000)
      await tendBackups(the.server.app)
      expect(await backupRows(the.server)).toMatchObject([{ state: 'failed', fault: 'interrupted' }])
      expect(await keepBackups(the.server.app)).toBe(1)
      expect([...backed.places.archives]).toEqual([])
      expect(await keepBackups(the.server.app)).toBe(0)
    },
    60_000,
  )

  nightly(
    'each week the newest good one is put into an empty place, and a bad one is told of until a good one comes',
    async () => {
      await onlyArchives()
      await tend()
      await tend()
      expect(await drills()).toMatchObject([{ state: 'done', fault: null, service_id: null }])
      const [first] = await backupRows(the.server)
      expect(first?.drilled).toBe(the.server.clock.now)
      expect((await plan()).drill).toMatchObject({ ok: true, backup_id: first?.id, fault: null })
      for (let days = 0; days < 6; days++) {
        pass(day)
        await tend()
      }
      expect(await drills()).toHaveLength(1)
      expect(await mails()).toEqual([])
      const [key, newest] = [...backed.places.archives].toSorted().at(-1) ?? ['', Buffer.alloc(0)]
      backed.places.archives.set(key, newest.subarray(0, -1))
      await asSystem((db) =>
        db
          .updateTable('service')
          .set({ next_pdb2s3: the.server.clock.now + 2 * day })
          .execute(),
      )
      pass(day)
      await tend()
      expect(await drills()).toMatchObject([{ state: 'done' }, { state: 'failed', fault: 'damaged' }])
      expect((await plan()).drill).toMatchObject({ ok: false, fault: 'damaged' })
      expect((await service()).failing_backups).toEqual(['pdb2s3'])
      expect(await mails()).toHaveLength(2)
      // The same one is not tried again, the next one is, at once.
      await tend()
      expect(await drills()).toHaveLength(2)
      pass(day)
      await tend()
      await tend()
      expect((await drills()).map(({ state }) => state)).toEqual(['done', 'failed', 'done'])
      expect((await service()).failing_backups).toEqual([])
    },
    90_000,
  )

  test('so many are kept, and so long; the newest stays as long as its service is there', async () => {
    await onlyArchives()
    const { config } = the.server.app
    the.server.app.config = { ...config, backupKeepCount: 3, backupKeepDays: 10 }
    for (let count = 0; count < 5; count++) {
      await backUpNow(the.server, alpha, id)
      pass(1000)
    }
    await keepBackups(the.server.app)
    expect((await backupRows(the.server)).map(({ state }) => state)).toEqual([
      'removed',
      'removed',
      'done',
      'done',
      'done',
    ])
    expect(backed.places.archives.size).toBe(3)
    expect((await backupRows(the.server)).filter(({ place }) => place === null)).toHaveLength(2)
    pass(11 * day)
    // Whatever the store says meanwhile: it is taken up again.
    backed.places.fails = 'unreachable'
    expect(await keepBackups(the.server.app)).toBe(0)
    backed.places.fails = null
    expect(await keepBackups(the.server.app)).toBe(2)
    expect((await backupRows(the.server)).map(({ state }) => state).at(-1)).toBe('done')
    expect(backed.places.archives.size).toBe(1)
    const staff = await the.server.signIn('delete@m18')
    expect((await staff.send({ method: 'DELETE', url: `/api/aws/service/${id}` })).statusCode).toBe(202)
    while (await workOne(the.server.app, hostingKinds));
    pass(30 * day)
    await keepBackups(the.server.app)
    expect(backed.places.archives.size).toBe(1)
    pass(2000)
    await keepBackups(the.server.app)
    expect(backed.places.archives.size).toBe(0)
    the.server.app.config = config
  }, 60_000)

  nightly(
    'what an overtaken try stored is found and taken away; what a dump knows nothing of is left alone',
    async () => {
      await onlyArchives()
      await backUpNow(the.server, alpha, id)
      const [row] = await backupRows(the.server)
      const own = row?.place ?? ''
      const of = (time: string, number: number) => `company-1/service-1/${time}Z-${number}.age`
      const [stray, older, unknown] = [
        of('2026-03-02T020200', 1),
        of('2026-02-01T020200', 1),
        of('2026-03-02T020200', 99),
      ]
      for (const key of [stray, older, unknown, 'company-1/something-else'])
        backed.places.archives.set(key.replace('Z-1.', `Z-${row?.id}.`), Buffer.from('x'))
      backed.places.copies.all.set(`copy_service_1_backup_${row?.id}_20260302020200`, [])
      expect(await tidyBackups(the.server.app)).toBe(0)
      pass(2 * hour)
      expect(await tidyBackups(the.server.app)).toBe(2)
      expect([...backed.places.archives.keys()].toSorted()).toEqual(
        [own, older.replace('Z-1.', `Z-${row?.id}.`), unknown, 'company-1/something-else'].toSorted(),
      )
      expect(backed.places.copies.all.size).toBe(0)
    },
    60_000,
  )
})
