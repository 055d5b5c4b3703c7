import { describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { verifyTrail } from '#contract/audit-trail.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { applyProgress } from '#local/jobs/job-store.ts'
import { createJobActions } from '#request/page/job-actions.ts'
import { getJobLockName, watchOpenJobs } from '#request/jobs/job-poller.ts'
import { flushEventLoop, createClock, createTablet, type ReceivedResponse } from '#tests/support/device/device.ts'
import { signInAs } from '#tests/support/device/app.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import {
  verifyInput,
  startVerification,
  openUserDatabase,
  describeLongRequests,
  readFirstJob,
  openPages,
  findPolls,
  findStarts,
  tick,
  verify,
} from '#tests/support/pages/long-requests.ts'
import { createPacedJob } from '#tests/support/pages/paced-job.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

const { installation, countServerJobs, passTime } = describeLongRequests()

describe('a long request', () => {
  it('is one call that shows progress and returns its response in the end (M46, protocol 39)', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const work = createPacedJob(installation.server, 10)
    const pendingResult = verify(tablet)
    await expect.poll(() => readFirstJob(tablet)).toMatchObject({ state: 'running', percent: 0 })
    // The start request has its response, so no connection stays open.
    expect(findStarts(tablet).map(({ status }) => status)).toEqual([202])
    const percents: number[] = []
    for (let step = 0; step < 11; step++) {
      await work.step()
      await passTime(1000, tablet)
      percents.push((await readFirstJob(tablet))?.percent ?? -1)
    }
    expect(percents).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 99, 100])
    expect(await pendingResult).toEqual({ kind: 'fresh', output: work.output })
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'done', seen: true, answer: { status: 200 } })
  })

  it('is stored on the device before its first byte is sent', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const jobsBeforeSend: unknown[] = []
    const { network } = tablet.ports
    tablet.ports.network = async (request) => {
      if (request.url.endsWith(verifyTrail.path)) jobsBeforeSend.push(await readFirstJob(tablet))
      return network(request)
    }
    await startVerification(tablet)
    expect(jobsBeforeSend).toMatchObject([{ state: 'starting', input: verifyInput }])
  })

  it('returns a refusal, and leaves nothing stored', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    expect(await verify(tablet)).toMatchObject({ kind: 'problem', problem: { code: 'FORBIDDEN' } })
    expect(await readFirstJob(tablet)).toBeUndefined()
    expect(await countServerJobs()).toBe(0)
  })

  it('is found by its intent if its start got no response, and is never sent twice automatically', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    tablet.connection.state = 'answers lost'
    const result = await verify(tablet)
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'unknown' })
    tablet.connection.state = 'up'
    await passTime(3000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'running' })
    // The form sends the same intent again, and gets the job that is already running.
    const intent = result.kind === 'problem' ? result.intent : ''
    expect(await verify(tablet, { intent, until: 'started' })).toEqual({ kind: 'started', jobId: intent })
    expect([findStarts(tablet).length, await countServerJobs()]).toEqual([1, 1])
  })

  it('takes effect once if it is sent again while its start is unknown (protocol 1)', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    tablet.connection.state = 'answers lost'
    const result = await verify(tablet)
    const intent = result.kind === 'problem' ? result.intent : ''
    tablet.connection.state = 'up'
    expect(await verify(tablet, { intent, until: 'started' })).toEqual({ kind: 'started', jobId: intent })
    expect([findStarts(tablet).length, await countServerJobs()]).toEqual([2, 1])
    expect(new Set(findStarts(tablet).map(({ request }) => request.headers[headers.key])).size).toBe(2)
  })

  it('is withdrawn if it never reached the server, so no late copy runs, and can be sent again (protocol 13)', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    tablet.connection.state = 'down'
    const result = await verify(tablet)
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    const intent = result.kind === 'problem' ? result.intent : ''
    const [lateStart] = findStarts(tablet)
    tablet.connection.state = 'up'
    await passTime(3000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'failed', problem: { code: 'NOT_STARTED' } })
    const copyResponse = await tablet.ports.network(
      new Request(`http://portal.test${verifyTrail.path}`, {
        method: 'POST',
        headers: lateStart?.request.headers ?? {},
        body: lateStart?.request.body ?? '',
      }),
    )
    expect([copyResponse.status, await countServerJobs()]).toEqual([409, 0])
    expect(await verify(tablet, { intent, until: 'started' })).toMatchObject({ kind: 'started' })
    expect(await countServerJobs()).toBe(1)
  })

  it('is withdrawn if its page died between storing and sending', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    tablet.ports.pipeline = () => new Promise(() => {})
    void verify(tablet)
    await expect.poll(() => readFirstJob(tablet)).toMatchObject({ state: 'starting' })
    tablet.reopen()
    await passTime(7000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'failed', problem: { code: 'NOT_STARTED' } })
    expect(findStarts(tablet)).toEqual([])
  })

  it('continues after a reload, and shows its result on the next page (offline 35)', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const work = createPacedJob(installation.server, 4)
    const intent = await startVerification(tablet)
    await work.step()
    await passTime(1000, tablet)
    tablet.reopen()
    expect(await readActivity(tablet.device)).toMatchObject([{ intent, percent: 25, isOpen: true }])
    for (let step = 0; step < 4; step++) await work.step()
    await passTime(2000, tablet)
    expect(await readActivity(tablet.device)).toMatchObject([{ intent, state: 'done', isOpen: false, seen: false }])
    expect(JSON.parse((await readFirstJob(tablet))?.answer?.body ?? '')).toEqual(work.output)
  })

  it('gets progress through the WebSocket, and fetches its result at once (R-26)', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const work = createPacedJob(installation.server, 2)
    await startVerification(tablet)
    await tick(tablet)
    const db = await openUserDatabase(tablet)
    const { progressKey } = (await readFirstJob(tablet)) ?? {}
    const reportProgress = (percent: number, isOver = false) =>
      applyProgress(db, { progressKey: progressKey ?? '', percent, isOver }, installation.clock.now())
    await reportProgress(60)
    await reportProgress(40)
    expect((await readFirstJob(tablet))?.percent).toBe(60)
    await installation.clock.advance(1000)
    await tick(tablet)
    // The poll reports less progress than the socket did. The displayed progress does not go back.
    expect((await readFirstJob(tablet))?.percent).toBe(60)
    for (let step = 0; step < 3; step++) await work.step()
    await reportProgress(100, true)
    await tick(tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'done' })
  })
})

describe('polling a long request', () => {
  it.each([1, 2, 5])('sends one request a second over %i pages together (R-25)', async (count) => {
    const tablet = await installation.signInTablet('admin@m18')
    await startVerification(tablet)
    const pages = openPages(tablet, count)
    const previousPolls = findPolls(tablet).length
    await passTime(30_000, ...pages)
    const perSecond = (findPolls(tablet).length - previousPolls) / 30
    expect(perSecond).toBeLessThanOrEqual(1.05)
    expect(perSecond).toBeGreaterThanOrEqual(0.8)
  })

  it('continues at once when the polling worker has died, even if its lease has not ended', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    await startVerification(tablet)
    await tick(tablet)
    await (await openUserDatabase(tablet)).jobs.toCollection().modify((job) => {
      job.leaseUntil = installation.clock.now() + 45_000
    })
    const previousPolls = findPolls(tablet).length
    await passTime(1250, tablet)
    expect(findPolls(tablet).length).toBe(previousPolls + 1)
  })

  it('starts as soon as the job has an address, even if another wait was in progress', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    let releaseNetwork = () => {}
    const networkReleased = new Promise<void>((resolve) => (releaseNetwork = resolve))
    const { network } = tablet.ports
    tablet.ports.network = async (request) => {
      if (request.url.endsWith(verifyTrail.path)) await networkReleased
      return network(request)
    }
    const pendingResult = verify(tablet, { until: 'started' })
    await expect.poll(() => readFirstJob(tablet)).toMatchObject({ state: 'starting' })
    void watchOpenJobs(tablet.ports)
    await flushEventLoop()
    releaseNetwork()
    await pendingResult
    void watchOpenJobs(tablet.ports)
    await expect.poll(() => findPolls(tablet).length).toBe(1)
    await installation.clock.advance(10_000)
  })

  it('is taken over from a frozen tab when its lease has ended, and not before', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const intent = await startVerification(tablet)
    await tick(tablet)
    const db = await openUserDatabase(tablet)
    void tablet.ports.locks.hold(getJobLockName(db, intent), { waitMs: 0 }, () => new Promise<never>(() => {}))
    await db.jobs.toCollection().modify((job) => {
      job.leaseUntil = installation.clock.now() + 3_000
    })
    const previousPolls = findPolls(tablet).length
    /** Advances the time of a page that polls. A poll may wait for the lock, so this does not wait for the polls. */
    const tickFor = async (ms: number) => {
      for (let index = 0; index < ms; index += 250) {
        tablet.ports.keepAlive(watchOpenJobs(tablet.ports, { forMs: 0 }))
        await installation.clock.advance(250)
      }
    }
    await tickFor(2_500)
    expect(findPolls(tablet).length).toBe(previousPolls)
    await tickFor(5_000)
    expect(findPolls(tablet).length).toBeGreaterThan(previousPolls)
  })

  it('slows down without a connection, and resumes at once when the server responds', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const work = createPacedJob(installation.server, 1)
    await startVerification(tablet)
    tablet.connection.state = 'down'
    const previousPolls = findPolls(tablet).length
    await passTime(120_000, tablet)
    expect(findPolls(tablet).length - previousPolls).toBeLessThan(20)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'running' })
    tablet.connection.state = 'up'
    await work.step()
    await work.step()
    await watchOpenJobs(tablet.ports, { immediate: true, forMs: 0 })
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'done' })
  }, 60_000)

  it('ignores responses that are not from the server', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    await startVerification(tablet)
    tablet.connection.state = 'captive'
    await passTime(5000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'running', answer: null })
  })

  it('stops at 408, and can get the final result when it is retried (D61)', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const work = createPacedJob(installation.server, 1)
    const pendingResult = verify(tablet)
    await expect.poll(() => readFirstJob(tablet)).toMatchObject({ state: 'running' })
    await installation.clock.advance(15 * 60_000)
    await passTime(2000, tablet)
    expect(await pendingResult).toMatchObject({ kind: 'problem', problem: { code: 'REQUEST_TIMEOUT', status: 408 } })
    const job = await readFirstJob(tablet)
    expect(job).toMatchObject({ state: 'timeout' })
    const previousPolls = findPolls(tablet).length
    await passTime(5000, tablet)
    expect(findPolls(tablet).length).toBe(previousPolls)

    await createJobActions(tablet.ports).retry(job?.intent ?? '')
    await passTime(1000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'timeout' })
    await work.step()
    await work.step()
    await createJobActions(tablet.ports).retry(job?.intent ?? '')
    await passTime(1000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'done', problem: null })
  })

  it('reports after a day that the result was deleted', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const work = createPacedJob(installation.server, 1)
    await startVerification(tablet)
    await work.step()
    await work.step()
    await installation.clock.advance(25 * 3_600_000)
    await signInAs(tablet, 'admin@m18')
    await passTime(2000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'gone', problem: { code: 'GONE' } })
  })
})

describe('a queued write that the server answers with 202', () => {
  it('becomes a long request in one transaction, and is followed to its end (protocol 39)', async () => {
    const clock = createClock()
    const server = createScriptedServer(clock)
    const tablet = createTablet((request) => server.transport(request), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.api.call(listUsers, { params: { companyId } })
    await tablet.settle()
    const location = '/api/request/0123456789abcdef'
    const responses: Record<string, ReceivedResponse> = {
      PUT: {
        status: 202,
        headers: {
          'content-type': 'application/json',
          location,
          [headers.outcome]: 'done; 5',
          [headers.requestId]: 'r',
        },
        body: JSON.stringify({ location, progressKey: 'abcdefghijkl', deadline: clock.now() + 900_000 }),
      },
      GET: {
        status: 200,
        headers: { 'content-type': 'application/json', [headers.outcome]: 'done; x', [headers.requestId]: 'r' },
        body: '{"moved":true}',
      },
    }
    server.script = ({ method, path, headers: requestHeaders }) => {
      const response = method === 'PUT' || path === location ? responses[method] : undefined
      return response
        ? { ...response, headers: { ...response.headers, [headers.key]: requestHeaders[headers.key] ?? '' } }
        : null
    }
    await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
    expect(await tablet.countWaiting()).toBe(0)
    expect(await readFirstJob(tablet)).toMatchObject({ endpoint: 'updateCompanyUser', state: 'running', location })
    // The row is unchanged, because the job has not finished yet.
    expect(await tablet.row('users', 2)).toMatchObject({ row: { title: 0 }, waiting: null })
    await watchOpenJobs(tablet.ports, { forMs: 0 })
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'done', answer: { body: '{"moved":true}' } })
  })
})
