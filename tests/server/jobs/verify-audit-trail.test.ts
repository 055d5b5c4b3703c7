import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { headers } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import { handlersOf } from '#server/composition/app.ts'
import { sweep } from '#server/jobs/delete-expired-data.ts'
import { backupKinds, endpointOf, hostingKinds, kinds, paymentKinds, restoreKinds } from '#server/jobs/registry.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { workOne } from '#server/jobs/runner.ts'
import { onConnections, pastPolicies } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { ask, begin, bySteps, workAll, writeTrail } from '#tests/server/jobs/requests.ts'

const hourMs = 3_600_000

describe('the table of long requests', () => {
  it('names a job that exists wherever the server answers one', () => {
    const built = new Set(handlersOf({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint.name))
    const long = endpoints.filter(({ name, job: relays }) => relays && built.has(name))
    const all = { ...kinds, ...paymentKinds, ...hostingKinds, ...backupKinds, ...restoreKinds }
    const worked = Object.keys(all).filter((name) => endpointOf(name))
    expect(long.map(({ job: relays }) => relays).toSorted()).toEqual(worked.toSorted())
    for (const name of Object.keys(kinds)) expect(worked).toContain(name)
  })
})

onConnections('a long request', (engine) => {
  let server: TestServer
  let staff: SignedIn
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  beforeEach(async () => {
    await server.reset()
    staff = await server.signIn('admin@m18')
    const { alpha, beta } = server.world.companies
    await writeTrail(server, alpha, 7)
    await writeTrail(server, beta, 4)
  })
  afterAll(() => server.close())

  const rowsInTrail = () =>
    pastPolicies(server.app.database, async (db) => {
      const { rows } = await sql<{ rows: number; companies: number }>`
        select count(*) as rows, count(distinct company_id) as companies from audit_entry`.execute(db)
      return rows[0] ?? { rows: 0, companies: 0 }
    })

  it('is taken with 202 and a place to ask, which says how far it is and then what it came to (M46, D61)', async () => {
    const begun = await begin(staff)
    expect(begun.statusCode).toBe(202)
    const { location } = begun.headers
    expect(location).toMatch(/^\/api\/request\/[0-9a-f]{32}$/)
    expect(begun.json()).toEqual({
      location,
      progressKey: expect.stringMatching(/^\w{12}$/),
      deadline: expect.any(Number),
    })

    const running = await ask(staff, String(location))
    expect(running.statusCode).toBe(202)
    expect(running.headers.location).toBe(location)
    expect(running.headers[headers.outcome]).toBeUndefined()
    expect(running.json()).toEqual({ status: 'active', percent: 0, progressKey: begun.json().progressKey })

    await workAll(server, bySteps(3))
    const final = await ask(staff, String(location))
    expect(final.statusCode).toBe(200)
    expect(final.headers[headers.outcome]).toMatch(/^done; /)
    expect(final.json()).toEqual({ ...(await rowsInTrail()), broken: [] })
    expect((await ask(staff, String(location))).json()).toEqual(final.json())
  })

  it('finds the rows that somebody changed or took out, and says whose they are (S-91)', async () => {
    const { alpha, beta } = server.world.companies
    await integrate(server.app)
    const ids = await pastPolicies(server.app.database, async (db) => {
      const rows = await db.selectFrom('audit_entry').select(['id', 'company_id']).orderBy('id').execute()
      const of = (company: number) => rows.filter((row) => row.company_id === company).map(({ id }) => id)
      const [changed = 0, taken = 0] = [of(alpha)[1], of(beta)[1]]
      await sql`update audit_entry set info = '{"at": 99}' where id = ${changed}`.execute(db)
      await sql`delete from audit_entry where id = ${taken}`.execute(db)
      return { changed, place: 1 }
    })
    const both = [
      { company_id: alpha, company_code: 'alpha', id: ids.changed },
      { company_id: beta, company_code: 'beta', id: ids.place },
    ]
    // However the log is cut into pieces. The entry that is gone is named by its place.
    for (const most of [1, 2, 3, 500]) {
      const { location } = (await begin(staff)).headers
      await workAll(server, bySteps(most))
      expect((await ask(staff, String(location))).json()).toMatchObject({ broken: both })
    }
    const { location } = (await begin(staff, crypto.randomUUID(), beta)).headers
    await workAll(server, bySteps(2))
    expect((await ask(staff, String(location))).json()).toEqual({ companies: 1, rows: 4, broken: [both[1]] })
  })

  it('sent again under its key is the same request, at the same place (protocol 26)', async () => {
    const key = crypto.randomUUID()
    const [first, second] = [await begin(staff, key), await begin(staff, key)]
    expect(second.statusCode).toBe(202)
    expect(second.headers.location).toBe(first.headers.location)
    expect(second.body).toBe(first.body)
    expect(second.headers[headers.replayed]).toBe('true')
    // Other bytes under the same intent: never a second job, and told where the first one is.
    const mended = await staff.send({
      method: 'POST',
      url: '/api/systrail/verify',
      headers: { [headers.key]: crypto.randomUUID(), [headers.intent]: key },
      payload: { companyId: server.world.companies.beta },
    })
    expect(mended.json()).toMatchObject({
      errorCode: 'INTENT_DONE',
      data: { answer: { status: 202, headers: { location: first.headers.location } } },
    })
    expect(await countJobs()).toBe(1)
  })

  const countJobs = () =>
    pastPolicies(server.app.database, async (db) => (await db.selectFrom('job').select('id').execute()).length)

  it('whose start got no answer is found by its intent, or kept from ever starting (protocol 13)', async () => {
    const key = crypto.randomUUID()
    const { location } = (await begin(staff, key)).headers
    const found = await ask(staff, `/api/request/~${key}`)
    expect([found.statusCode, found.headers.location]).toEqual([202, location])
    const late = crypto.randomUUID()
    expect((await ask(staff, `/api/request/~${late}`)).json().errorCode).toBe('INTENT_UNKNOWN')
    const withdrawn = await staff.send({ method: 'DELETE', url: `/api/request/~${late}` })
    expect(withdrawn.json()).toEqual({ void: true })
    expect((await begin(staff, late)).json().errorCode).toBe('INTENT_VOID')
    expect(await countJobs()).toBe(1)
  })

  it('is nobody else’s: to a colleague, a stranger and another company it is not there (N-08, S-61, Z-15)', async () => {
    const { location } = (await begin(staff)).headers
    for (const who of ['delete@m18', 'user@m18', 'admin@alpha', 'admin@beta'])
      expect((await ask(await server.signIn(who), String(location))).statusCode).toBe(404)
    expect((await server.send({ method: 'GET', url: String(location) })).statusCode).toBe(401)
    expect((await ask(staff, '/api/request/00000000000000000000000000000000')).statusCode).toBe(404)
  })

  it('is refused to all but provider admins, and nothing is begun', async () => {
    for (const who of ['admin@alpha', 'order@m18', 'user@m18'])
      expect((await begin(await server.signIn(who))).json().errorCode).toBe('FORBIDDEN')
    expect(await countJobs()).toBe(0)
  })

  it('for a company that does not exist ends in that refusal, as final as an answer', async () => {
    const { location } = (await begin(staff, crypto.randomUUID(), 2_000_000_000)).headers
    await workAll(server, bySteps(3))
    const final = await ask(staff, String(location))
    expect([final.statusCode, final.json().errorCode]).toEqual([404, 'NOT_FOUND'])
    expect(final.headers[headers.outcome]).toMatch(/^refused; /)
  })

  it('answers 408 once its time is up, and its result all the same when it comes later', async () => {
    const { location } = (await begin(staff)).headers
    const { access } = staff
    server.clock.now += 15 * 60_000
    const renewed = await server.signIn('admin@m18')
    const late = await ask(renewed, String(location))
    expect([late.statusCode, late.json().errorCode]).toEqual([408, 'REQUEST_TIMEOUT'])
    expect(late.json().data).toMatchObject({ percent: 0 })
    await workAll(server, bySteps(3))
    expect((await ask(renewed, String(location))).statusCode).toBe(200)
    expect(access).not.toBe(renewed.access)
  })

  it('is gone a day later, with how it ended, and never unknown', async () => {
    const { location } = (await begin(staff)).headers
    await workAll(server, bySteps(3))
    server.clock.now += 24 * hourMs - 1
    expect((await ask(await server.signIn('admin@m18'), String(location))).statusCode).toBe(200)
    server.clock.now += 1
    const again = await server.signIn('admin@m18')
    const gone = await ask(again, String(location))
    expect([gone.statusCode, gone.json().errorCode]).toEqual([410, 'GONE'])
    expect(gone.json().data).toEqual({ state: 'done', status: 200 })
    server.clock.now += 1
    expect((await sweep(server.app)).results).toBe(1)
    expect((await ask(again, String(location))).statusCode).toBe(410)
  })

  it('of one user there are ten at once and no more', async () => {
    for (let at = 0; at < 10; at++) expect((await begin(staff)).statusCode).toBe(202)
    const eleventh = await begin(staff)
    expect([eleventh.statusCode, eleventh.headers['retry-after']]).toEqual([429, '30'])
    expect((await begin(await server.signIn('delete@m18'))).statusCode).toBe(202)
  })

  it('is worked on by one node at a time, whoever asks for work', async () => {
    for (let at = 0; at < 6; at++) await begin(staff)
    const took = await Promise.all(Array.from({ length: 8 }, () => workOne(server.app, bySteps(3))))
    expect(took.filter(Boolean)).toHaveLength(6)
  })
})
