/**
 * Tests a change for a customer and the end of its consent in two transactions at once (decision 116). Another connection holds a row or a
 * table, so that one of the two is in the middle of its transaction while the other arrives. Runs only on PostgreSQL: the embedded engine
 * has one connection, so no transaction waits for a lock.
 */
import type { Client } from 'pg'
import { sql } from 'kysely'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { recordEndedConsents } from '#server/use-cases/customers/acting-consents.ts'
import { setUpShop } from '#tests/support/orders/shop-data.ts'
import { bypassPolicies, onConnections } from '#tests/support/server/database.ts'
import { connectAsSuperuser, runAsSuperuser } from '#tests/support/server/postgres.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const hourMs = 3_600_000
const website = 'https://late.example'

onConnections('a change for a customer and the end of its consent', (engine) => {
  if (engine !== 'postgres') return
  const fixture = setUpShop(engine)
  let staff: SignedIn
  let giver: SignedIn
  let otherAdmin: SignedIn
  let otherStaff: SignedIn
  let alpha: number
  let consentId: number
  let holder: Client

  const query = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await bypassPolicies(fixture.server.app.database, (db) => statement.execute(db))).rows
  const readDatabaseName = async () =>
    (await query(sql<{ name: string }>`select current_database() as name`))[0]?.name ?? ''
  const clusterUrl = () => inject('postgresUrl') ?? ''

  beforeAll(async () => {
    const { database } = fixture.server.app
    // A deadlock is not resolved by a repetition that nobody sees: it lasts until the lock timeout, and the response is a 503.
    await runAsSuperuser(clusterUrl(), 'postgres', [
      `alter database ${await readDatabaseName()} set deadlock_timeout = '10min'`,
    ])
    database.discardConnections()
    Object.assign(database.timeoutsMs, { lock: 15_000, statement: 30_000 })
  })
  beforeEach(async () => {
    const { signIn, world } = fixture.server
    staff = await signIn('admin@m18')
    otherStaff = await signIn('delete@m18')
    giver = await signIn('second@alpha')
    otherAdmin = await signIn('admin@alpha')
    alpha = world.companies.alpha
    const consent = await send(giver, 'POST', '/api/m18s/consent', { hours: 2, allows_changes: true })
    consentId = consent.body.id
    expect((await send(staff, 'POST', `/api/customer/${alpha}/acting`)).status).toBe(200)
    holder = await connectAsSuperuser(clusterUrl(), await readDatabaseName())
  })
  afterEach(() => holder.end())

  type Method = 'POST' | 'PUT' | 'DELETE'
  const send = async (caller: SignedIn, method: Method, url: string, payload?: object) => {
    const response = await caller.send({ method, url, ...(payload ? { payload } : {}) })
    return { status: response.statusCode, body: response.body === '' ? null : JSON.parse(response.body) }
  }
  const changeWebsite = () => send(staff, 'PUT', `/api/m18s/company/${alpha}`, { website })
  const readWebsite = async () =>
    (await query(sql<{ website: string }>`select website from company where id = ${alpha}`))[0]?.website

  /** Returns the server processes that wait for a lock, with the processes that they wait for. */
  const listWaiting = async () =>
    (
      await holder.query<{ pid: number; blockers: number[] }>(`select pid, pg_blocking_pids(pid) as blockers
        from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    ).rows
  async function waitForWaiting(count: number) {
    await expect.poll(async () => (await listWaiting()).length, { interval: 10 }).toBe(count)
    return await listWaiting()
  }
  async function hold(statement: string) {
    await holder.query('begin')
    await holder.query(statement)
  }
  /** Starts the first request, which stops at the held lock, then the second one, which must wait for the first. */
  async function race<First, Second>(first: () => Promise<First>, second: () => Promise<Second>) {
    const firstResponse = first()
    const [firstProcess] = await waitForWaiting(1)
    const secondResponse = second()
    const waiting = await waitForWaiting(2)
    const secondProcess = waiting.find(({ pid }) => pid !== firstProcess?.pid)
    expect(secondProcess?.blockers).toEqual([firstProcess?.pid])
    await holder.query('commit')
    return [await firstResponse, await secondResponse] as const
  }

  const ends: Record<string, () => Promise<{ status: number }>> = {
    'is revoked': () => send(giver, 'DELETE', `/api/m18s/consent/${consentId}`),
    'is left by the member': () => send(staff, 'DELETE', '/api/m18s/acting'),
    'loses its giver as an admin': () =>
      send(otherAdmin, 'PUT', `/api/m18s/company-user/${giver.userId}`, { admin: false }),
    'loses its member as a user': () => send(otherStaff, 'POST', `/api/users/disable/${staff.userId}`),
  }

  describe.each(Object.entries(ends))('when the consent %s', (_name, end) => {
    it('a change that has been checked takes effect before it', async () => {
      await hold(`select 1 from company where id = ${alpha} for no key update`)
      const [change, ended] = await race(changeWebsite, end)
      expect([change.status, Math.floor(ended.status / 100)]).toEqual([200, 2])
      expect(await readWebsite()).toBe(website)
      const entries = await query(sql<{ isChange: boolean }>`select info ? 'ConsentId' as "isChange" from audit_entry
        order by id desc limit 2`)
      expect(entries).toEqual([{ isChange: false }, { isChange: true }])
    }, 60_000)

    it('a change that was admitted before, and is checked after it, is refused and stores nothing', async () => {
      await hold('lock table audit_entry in share mode')
      const [ended, change] = await race(end, changeWebsite)
      expect([Math.floor(ended.status / 100), change.status, change.body.errorCode]).toEqual([2, 403, 'ACTING_ENDED'])
      expect(await readWebsite()).not.toBe(website)
      expect(await query(sql`select id from audit_entry where info ? 'ConsentId'`)).toEqual([])
    }, 60_000)
  })

  describe('when the time of the consent is over', () => {
    const endInTime = async () => {
      fixture.server.clock.now += 2 * hourMs
      await recordEndedConsents(fixture.server.app)
    }

    it('the end is recorded after a change that has been checked', async () => {
      await hold(`select 1 from company where id = ${alpha} for no key update`)
      const [change] = await race(changeWebsite, endInTime)
      expect(change.status).toBe(200)
      const [consent] = await query(
        sql<{ ended_reason: string }>`select ended_reason from acting_consent where id = ${consentId}`,
      )
      expect(consent).toEqual({ ended_reason: 'expired' })
    }, 60_000)

    it('a change that has waited for the rows of the consent until then is refused', async () => {
      await hold(`select 1 from acting_consent where id = ${consentId} for update`)
      const change = changeWebsite()
      await waitForWaiting(1)
      fixture.server.clock.now += 2 * hourMs
      await holder.query('commit')
      expect(await change).toMatchObject({ status: 403, body: { errorCode: 'ACTING_ENDED' } })
      expect(await readWebsite()).not.toBe(website)
    }, 60_000)
  })
})
