import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { headers } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import { createHandlers } from '#server/composition/app.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import {
  backupJobKinds,
  findJobEndpoint,
  hostingJobKinds,
  requestJobKinds,
  paymentJobKinds,
  restoreJobKinds,
} from '#server/jobs/job-registry.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { onConnections, bypassPolicies } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import {
  readJobStatus,
  startVerification,
  createStepJobKinds,
  runAllJobs,
  writeTrail,
} from '#tests/server/jobs/requests.ts'

const hourMs = 3_600_000

describe('the table of long requests', () => {
  it('names a job that exists wherever the server answers one', () => {
    const builtEndpoints = new Set(
      createHandlers({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint.name),
    )
    const jobEndpoints = endpoints.filter(({ name, job: jobKind }) => jobKind && builtEndpoints.has(name))
    const allJobKinds = {
      ...requestJobKinds,
      ...paymentJobKinds,
      ...hostingJobKinds,
      ...backupJobKinds,
      ...restoreJobKinds,
    }
    const servedKinds = Object.keys(allJobKinds).filter((name) => findJobEndpoint(name))
    expect(jobEndpoints.map(({ job: jobKind }) => jobKind).toSorted()).toEqual(servedKinds.toSorted())
    for (const name of Object.keys(requestJobKinds)) expect(servedKinds).toContain(name)
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

  const countTrailRows = () =>
    bypassPolicies(server.app.database, async (db) => {
      const { rows } = await sql<{ rows: number; companies: number }>`
        select count(*) as rows, count(distinct company_id) as companies from audit_entry`.execute(db)
      return rows[0] ?? { rows: 0, companies: 0 }
    })

  it('is taken with 202 and a place to ask, which says how far it is and then what it came to (M46, D61)', async () => {
    const startResponse = await startVerification(staff)
    expect(startResponse.statusCode).toBe(202)
    const { location } = startResponse.headers
    expect(location).toMatch(/^\/api\/request\/[0-9a-f]{32}$/)
    expect(startResponse.json()).toEqual({
      location,
      progressKey: expect.stringMatching(/^\w{12}$/),
      deadline: expect.any(Number),
    })

    const runningResponse = await readJobStatus(staff, String(location))
    expect(runningResponse.statusCode).toBe(202)
    expect(runningResponse.headers.location).toBe(location)
    expect(runningResponse.headers[headers.outcome]).toBeUndefined()
    expect(runningResponse.json()).toEqual({
      status: 'active',
      percent: 0,
      progressKey: startResponse.json().progressKey,
    })

    await runAllJobs(server, createStepJobKinds(3))
    const finalResponse = await readJobStatus(staff, String(location))
    expect(finalResponse.statusCode).toBe(200)
    expect(finalResponse.headers[headers.outcome]).toMatch(/^done; /)
    expect(finalResponse.json()).toEqual({ ...(await countTrailRows()), broken: [] })
    expect((await readJobStatus(staff, String(location))).json()).toEqual(finalResponse.json())
  })

  it('finds the rows that somebody changed or took out, and says whose they are (S-91)', async () => {
    const { alpha, beta } = server.world.companies
    await integrate(server.app)
    const ids = await bypassPolicies(server.app.database, async (db) => {
      const rows = await db.selectFrom('audit_entry').select(['id', 'company_id']).orderBy('id').execute()
      const listIds = (company: number) => rows.filter((row) => row.company_id === company).map(({ id }) => id)
      const [changedId = 0, deletedId = 0] = [listIds(alpha)[1], listIds(beta)[1]]
      await sql`update audit_entry set info = '{"at": 99}' where id = ${changedId}`.execute(db)
      await sql`delete from audit_entry where id = ${deletedId}`.execute(db)
      return { changedId, position: 1 }
    })
    const brokenEntries = [
      { company_id: alpha, company_code: 'alpha', id: ids.changedId },
      { company_id: beta, company_code: 'beta', id: ids.position },
    ]
    // However the log is cut into pieces. The entry that is gone is named by its place.
    for (const maxEntries of [1, 2, 3, 500]) {
      const { location } = (await startVerification(staff)).headers
      await runAllJobs(server, createStepJobKinds(maxEntries))
      expect((await readJobStatus(staff, String(location))).json()).toMatchObject({ broken: brokenEntries })
    }
    const { location } = (await startVerification(staff, crypto.randomUUID(), beta)).headers
    await runAllJobs(server, createStepJobKinds(2))
    expect((await readJobStatus(staff, String(location))).json()).toEqual({
      companies: 1,
      rows: 4,
      broken: [brokenEntries[1]],
    })
  })

  it('sent again under its key is the same request, at the same place (protocol 26)', async () => {
    const key = crypto.randomUUID()
    const [firstResponse, secondResponse] = [await startVerification(staff, key), await startVerification(staff, key)]
    expect(secondResponse.statusCode).toBe(202)
    expect(secondResponse.headers.location).toBe(firstResponse.headers.location)
    expect(secondResponse.body).toBe(firstResponse.body)
    expect(secondResponse.headers[headers.replayed]).toBe('true')
    // Other bytes under the same intent: never a second job, and told where the first one is.
    const changedResponse = await staff.send({
      method: 'POST',
      url: '/api/systrail/verify',
      headers: { [headers.key]: crypto.randomUUID(), [headers.intent]: key },
      payload: { companyId: server.world.companies.beta },
    })
    expect(changedResponse.json()).toMatchObject({
      errorCode: 'INTENT_DONE',
      data: { answer: { status: 202, headers: { location: firstResponse.headers.location } } },
    })
    expect(await countJobs()).toBe(1)
  })

  const countJobs = () =>
    bypassPolicies(server.app.database, async (db) => (await db.selectFrom('job').select('id').execute()).length)

  it('whose start got no answer is found by its intent, or kept from ever starting (protocol 13)', async () => {
    const key = crypto.randomUUID()
    const { location } = (await startVerification(staff, key)).headers
    const foundResponse = await readJobStatus(staff, `/api/request/~${key}`)
    expect([foundResponse.statusCode, foundResponse.headers.location]).toEqual([202, location])
    const lateKey = crypto.randomUUID()
    expect((await readJobStatus(staff, `/api/request/~${lateKey}`)).json().errorCode).toBe('INTENT_UNKNOWN')
    const withdrawResponse = await staff.send({ method: 'DELETE', url: `/api/request/~${lateKey}` })
    expect(withdrawResponse.json()).toEqual({ void: true })
    expect((await startVerification(staff, lateKey)).json().errorCode).toBe('INTENT_VOID')
    expect(await countJobs()).toBe(1)
  })

  it('is nobody else’s: to a colleague, a stranger and another company it is not there (N-08, S-61, Z-15)', async () => {
    const { location } = (await startVerification(staff)).headers
    for (const userName of ['delete@m18', 'user@m18', 'admin@alpha', 'admin@beta'])
      expect((await readJobStatus(await server.signIn(userName), String(location))).statusCode).toBe(404)
    expect((await server.send({ method: 'GET', url: String(location) })).statusCode).toBe(401)
    expect((await readJobStatus(staff, '/api/request/00000000000000000000000000000000')).statusCode).toBe(404)
  })

  it('is refused to all but provider admins, and nothing is begun', async () => {
    for (const userName of ['admin@alpha', 'order@m18', 'user@m18'])
      expect((await startVerification(await server.signIn(userName))).json().errorCode).toBe('FORBIDDEN')
    expect(await countJobs()).toBe(0)
  })

  it('for a company that does not exist ends in that refusal, as final as an answer', async () => {
    const { location } = (await startVerification(staff, crypto.randomUUID(), 2_000_000_000)).headers
    await runAllJobs(server, createStepJobKinds(3))
    const finalResponse = await readJobStatus(staff, String(location))
    expect([finalResponse.statusCode, finalResponse.json().errorCode]).toEqual([404, 'NOT_FOUND'])
    expect(finalResponse.headers[headers.outcome]).toMatch(/^refused; /)
  })

  it('answers 408 once its time is up, and its result all the same when it comes later', async () => {
    const { location } = (await startVerification(staff)).headers
    const { accessToken } = staff
    server.clock.now += 15 * 60_000
    const renewedUser = await server.signIn('admin@m18')
    const lateResponse = await readJobStatus(renewedUser, String(location))
    expect([lateResponse.statusCode, lateResponse.json().errorCode]).toEqual([408, 'REQUEST_TIMEOUT'])
    expect(lateResponse.json().data).toMatchObject({ percent: 0 })
    await runAllJobs(server, createStepJobKinds(3))
    expect((await readJobStatus(renewedUser, String(location))).statusCode).toBe(200)
    expect(accessToken).not.toBe(renewedUser.accessToken)
  })

  it('is gone a day later, with how it ended, and never unknown', async () => {
    const { location } = (await startVerification(staff)).headers
    await runAllJobs(server, createStepJobKinds(3))
    server.clock.now += 24 * hourMs - 1
    expect((await readJobStatus(await server.signIn('admin@m18'), String(location))).statusCode).toBe(200)
    server.clock.now += 1
    const renewedUser = await server.signIn('admin@m18')
    const expiredResponse = await readJobStatus(renewedUser, String(location))
    expect([expiredResponse.statusCode, expiredResponse.json().errorCode]).toEqual([410, 'GONE'])
    expect(expiredResponse.json().data).toEqual({ state: 'done', status: 200 })
    server.clock.now += 1
    expect((await deleteExpiredData(server.app)).results).toBe(1)
    expect((await readJobStatus(renewedUser, String(location))).statusCode).toBe(410)
  })

  it('of one user there are ten at once and no more', async () => {
    for (let index = 0; index < 10; index++) expect((await startVerification(staff)).statusCode).toBe(202)
    const eleventhResponse = await startVerification(staff)
    expect([eleventhResponse.statusCode, eleventhResponse.headers['retry-after']]).toEqual([429, '30'])
    expect((await startVerification(await server.signIn('delete@m18'))).statusCode).toBe(202)
  })

  it('is worked on by one node at a time, whoever asks for work', async () => {
    for (let index = 0; index < 6; index++) await startVerification(staff)
    const runResults = await Promise.all(Array.from({ length: 8 }, () => runOneJob(server.app, createStepJobKinds(3))))
    expect(runResults.filter(Boolean)).toHaveLength(6)
  })
})
