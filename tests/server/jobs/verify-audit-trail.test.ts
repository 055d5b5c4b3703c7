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

describe('the endpoints of long requests', () => {
  it('have an existing job if the server has a handler for them', () => {
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

  it('A long request returns 202 with an address that reports progress and then the result (M46, D61)', async () => {
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

  it('The verification finds changed and deleted entries and names their company (S-91)', async () => {
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
    // The result is the same for every step size. The deleted entry is identified by its log index.
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

  it('A start that is repeated with its key returns the same job and address (protocol 26)', async () => {
    const key = crypto.randomUUID()
    const [firstResponse, secondResponse] = [await startVerification(staff, key), await startVerification(staff, key)]
    expect(secondResponse.statusCode).toBe(202)
    expect(secondResponse.headers.location).toBe(firstResponse.headers.location)
    expect(secondResponse.body).toBe(firstResponse.body)
    expect(secondResponse.headers[headers.replayed]).toBe('true')
    // A different body under the same intent never starts a second job. The response has the address of the first job.
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

  it('A start without response can be found by its intent, or be prevented (protocol 13)', async () => {
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

  it('A long request returns 404 to colleagues, other companies and visitors (N-08, S-61, Z-15)', async () => {
    const { location } = (await startVerification(staff)).headers
    for (const userName of ['delete@m18', 'user@m18', 'admin@alpha', 'admin@beta'])
      expect((await readJobStatus(await server.signIn(userName), String(location))).statusCode).toBe(404)
    expect((await server.send({ method: 'GET', url: String(location) })).statusCode).toBe(401)
    expect((await readJobStatus(staff, '/api/request/00000000000000000000000000000000')).statusCode).toBe(404)
  })

  it('The verification is refused to everybody but provider admins, and no job is created', async () => {
    for (const userName of ['admin@alpha', 'order@m18', 'user@m18'])
      expect((await startVerification(await server.signIn(userName))).json().errorCode).toBe('FORBIDDEN')
    expect(await countJobs()).toBe(0)
  })

  it('A verification of an unknown company ends with a final NOT_FOUND', async () => {
    const { location } = (await startVerification(staff, crypto.randomUUID(), 2_000_000_000)).headers
    await runAllJobs(server, createStepJobKinds(3))
    const finalResponse = await readJobStatus(staff, String(location))
    expect([finalResponse.statusCode, finalResponse.json().errorCode]).toEqual([404, 'NOT_FOUND'])
    expect(finalResponse.headers[headers.outcome]).toMatch(/^refused; /)
  })

  it('The poll returns 408 after the deadline, but still returns the result once it is ready', async () => {
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

  it('The poll returns 410 with the final state a day after the end, never 404', async () => {
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

  it('A user may have ten long requests at a time', async () => {
    for (let index = 0; index < 10; index++) expect((await startVerification(staff)).statusCode).toBe(202)
    const eleventhResponse = await startVerification(staff)
    expect([eleventhResponse.statusCode, eleventhResponse.headers['retry-after']]).toEqual([429, '30'])
    expect((await startVerification(await server.signIn('delete@m18'))).statusCode).toBe(202)
  })

  it('Concurrent runners work on each job only once', async () => {
    for (let index = 0; index < 6; index++) await startVerification(staff)
    const runResults = await Promise.all(Array.from({ length: 8 }, () => runOneJob(server.app, createStepJobKinds(3))))
    expect(runResults.filter(Boolean)).toHaveLength(6)
  })
})
