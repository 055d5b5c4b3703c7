import { describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { verifyTrail } from '#contract/audit-trail.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { applyProgress } from '#local/jobs/job-store.ts'
import { jobsOf } from '#request/page/job-actions.ts'
import { lockOf, watch } from '#request/jobs/job-poller.ts'
import { breathe, createClock, createTablet, type Received } from '#tests/support/device/device.ts'
import { comeIn } from '#tests/support/device/app.ts'
import { company } from '#tests/support/device/device-database.ts'
import {
  all,
  begun,
  dbOf,
  longRequests,
  only,
  pagesOf,
  polls,
  starts,
  tick,
  verify,
} from '#tests/support/pages/long-requests.ts'
import { paced } from '#tests/support/pages/paced.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

const { app, jobsAtServer, pass } = longRequests()

describe('a long request', () => {
  it('is one call that takes its time: progress shows meanwhile, the answer comes as of any other (M46, protocol 39)', async () => {
    const tablet = await app.signedIn('admin@m18')
    const work = paced(app.server, 10)
    const asked = verify(tablet)
    await expect.poll(() => only(tablet)).toMatchObject({ state: 'running', percent: 0 })
    // Nothing is held: the start has been answered.
    expect(starts(tablet).map(({ status }) => status)).toEqual([202])
    const seen: number[] = []
    for (let step = 0; step < 11; step++) {
      await work.step()
      await pass(1000, tablet)
      seen.push((await only(tablet))?.percent ?? -1)
    }
    expect(seen).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 99, 100])
    expect(await asked).toEqual({ kind: 'fresh', output: work.output })
    expect(await only(tablet)).toMatchObject({ state: 'done', seen: true, answer: { status: 200 } })
  })

  it('is on the device before its first byte leaves', async () => {
    const tablet = await app.signedIn('admin@m18')
    const before: unknown[] = []
    const { network } = tablet.ports
    tablet.ports.network = async (request) => {
      if (request.url.endsWith(verifyTrail.path)) before.push(await only(tablet))
      return network(request)
    }
    await begun(tablet)
    expect(before).toMatchObject([{ state: 'starting', input: all }])
  })

  it('that is refused is answered with the refusal, and leaves nothing behind', async () => {
    const tablet = await app.signedIn('admin@alpha')
    expect(await verify(tablet)).toMatchObject({ kind: 'problem', problem: { code: 'FORBIDDEN' } })
    expect(await only(tablet)).toBeUndefined()
    expect(await jobsAtServer()).toBe(0)
  })

  it('whose start got no answer is found by its intent, and never sent a second time by itself', async () => {
    const tablet = await app.signedIn('admin@m18')
    tablet.line.state = 'answers lost'
    const told = await verify(tablet)
    expect(told).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    expect(await only(tablet)).toMatchObject({ state: 'unknown' })
    tablet.line.state = 'up'
    await pass(3000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'running' })
    // The form sends the same wish again: it is the one that runs.
    const intent = told.kind === 'problem' ? told.intent : ''
    expect(await verify(tablet, { intent, until: 'started' })).toEqual({ kind: 'started', jobId: intent })
    expect([starts(tablet).length, await jobsAtServer()]).toEqual([1, 1])
  })

  it('sent again while nobody knows whether it began takes effect once, under its intent (protocol 1)', async () => {
    const tablet = await app.signedIn('admin@m18')
    tablet.line.state = 'answers lost'
    const told = await verify(tablet)
    const intent = told.kind === 'problem' ? told.intent : ''
    tablet.line.state = 'up'
    expect(await verify(tablet, { intent, until: 'started' })).toEqual({ kind: 'started', jobId: intent })
    expect([starts(tablet).length, await jobsAtServer()]).toEqual([2, 1])
    expect(new Set(starts(tablet).map(({ sent }) => sent.headers[headers.key])).size).toBe(2)
  })

  it('that never left is withdrawn, so that no late copy begins it; sent again it is a new wish (protocol 13)', async () => {
    const tablet = await app.signedIn('admin@m18')
    tablet.line.state = 'down'
    const told = await verify(tablet)
    expect(told).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    const intent = told.kind === 'problem' ? told.intent : ''
    const [late] = starts(tablet)
    tablet.line.state = 'up'
    await pass(3000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'failed', problem: { code: 'NOT_STARTED' } })
    const copy = await tablet.ports.network(
      new Request(`http://portal.test${verifyTrail.path}`, {
        method: 'POST',
        headers: late?.sent.headers ?? {},
        body: late?.sent.body ?? '',
      }),
    )
    expect([copy.status, await jobsAtServer()]).toEqual([409, 0])
    expect(await verify(tablet, { intent, until: 'started' })).toMatchObject({ kind: 'started' })
    expect(await jobsAtServer()).toBe(1)
  })

  it('whose page died between recording and sending is withdrawn as well', async () => {
    const tablet = await app.signedIn('admin@m18')
    tablet.ports.pipeline = () => new Promise(() => {})
    void verify(tablet)
    await expect.poll(() => only(tablet)).toMatchObject({ state: 'starting' })
    tablet.reopen()
    await pass(7000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'failed', problem: { code: 'NOT_STARTED' } })
    expect(starts(tablet)).toEqual([])
  })

  it('goes on over a reload, and shows its result to whoever comes (offline 35)', async () => {
    const tablet = await app.signedIn('admin@m18')
    const work = paced(app.server, 4)
    const intent = await begun(tablet)
    await work.step()
    await pass(1000, tablet)
    tablet.reopen()
    expect(await readActivity(tablet.device)).toMatchObject([{ intent, percent: 25, open: true }])
    for (let step = 0; step < 4; step++) await work.step()
    await pass(2000, tablet)
    expect(await readActivity(tablet.device)).toMatchObject([{ intent, state: 'done', open: false, seen: false }])
    expect(JSON.parse((await only(tablet))?.answer?.body ?? '')).toEqual(work.output)
  })

  it('is heard of through the websocket: further at once, and its end fetched without waiting (R-26)', async () => {
    const tablet = await app.signedIn('admin@m18')
    const work = paced(app.server, 2)
    await begun(tablet)
    await tick(tablet)
    const db = await dbOf(tablet)
    const { progressKey } = (await only(tablet)) ?? {}
    const say = (percent: number, isOver = false) =>
      applyProgress(db, { progressKey: progressKey ?? '', percent, isOver }, app.clock.now())
    await say(60)
    await say(40)
    expect((await only(tablet))?.percent).toBe(60)
    await app.clock.turn(1000)
    await tick(tablet)
    // The poll knows less than the socket: what was shown does not go back.
    expect((await only(tablet))?.percent).toBe(60)
    for (let step = 0; step < 3; step++) await work.step()
    await say(100, true)
    await tick(tablet)
    expect(await only(tablet)).toMatchObject({ state: 'done' })
  })
})

describe('asking how far it is', () => {
  it.each([1, 2, 5])('is one poll a second over %i pages together (R-25)', async (count) => {
    const tablet = await app.signedIn('admin@m18')
    await begun(tablet)
    const pages = pagesOf(tablet, count)
    const before = polls(tablet).length
    await pass(30_000, ...pages)
    const perSecond = (polls(tablet).length - before) / 30
    expect(perSecond).toBeLessThanOrEqual(1.05)
    expect(perSecond).toBeGreaterThanOrEqual(0.8)
  })

  it('goes on at once when the worker that was asking has died, whatever its lease says', async () => {
    const tablet = await app.signedIn('admin@m18')
    await begun(tablet)
    await tick(tablet)
    await (await dbOf(tablet)).jobs.toCollection().modify((job) => {
      job.leaseUntil = app.clock.now() + 45_000
    })
    const before = polls(tablet).length
    await pass(1250, tablet)
    expect(polls(tablet).length).toBe(before + 1)
  })

  it('begins as soon as there is somewhere to ask, also where the watch was waiting for something else', async () => {
    const tablet = await app.signedIn('admin@m18')
    let go = () => {}
    const held = new Promise<void>((free) => (go = free))
    const { network } = tablet.ports
    tablet.ports.network = async (request) => {
      if (request.url.endsWith(verifyTrail.path)) await held
      return network(request)
    }
    const asked = verify(tablet, { until: 'started' })
    await expect.poll(() => only(tablet)).toMatchObject({ state: 'starting' })
    void watch(tablet.ports)
    await breathe()
    go()
    await asked
    void watch(tablet.ports)
    await expect.poll(() => polls(tablet).length).toBe(1)
    await app.clock.turn(10_000)
  })

  it('is taken from a frozen tab once its lease has run out, and only then', async () => {
    const tablet = await app.signedIn('admin@m18')
    const intent = await begun(tablet)
    await tick(tablet)
    const db = await dbOf(tablet)
    void tablet.ports.locks.hold(lockOf(db, intent), { waitMs: 0 }, () => new Promise<never>(() => {}))
    await db.jobs.toCollection().modify((job) => {
      job.leaseUntil = app.clock.now() + 3_000
    })
    const before = polls(tablet).length
    /** A page that ticks as time goes by; the lock is waited for, so nobody waits for a tick. */
    const tickFor = async (ms: number) => {
      for (let at = 0; at < ms; at += 250) {
        tablet.ports.lasting(watch(tablet.ports, { forMs: 0 }))
        await app.clock.turn(250)
      }
    }
    await tickFor(2_500)
    expect(polls(tablet).length).toBe(before)
    await tickFor(5_000)
    expect(polls(tablet).length).toBeGreaterThan(before)
  })

  it('slows down while the line is dead, and begins at once with a sign of life', async () => {
    const tablet = await app.signedIn('admin@m18')
    const work = paced(app.server, 1)
    await begun(tablet)
    tablet.line.state = 'down'
    const before = polls(tablet).length
    await pass(120_000, tablet)
    expect(polls(tablet).length - before).toBeLessThan(20)
    expect(await only(tablet)).toMatchObject({ state: 'running' })
    tablet.line.state = 'up'
    await work.step()
    await work.step()
    await watch(tablet.ports, { hurry: true, forMs: 0 })
    expect(await only(tablet)).toMatchObject({ state: 'done' })
  }, 60_000)

  it('is not fooled by what answers in the server’s place', async () => {
    const tablet = await app.signedIn('admin@m18')
    await begun(tablet)
    tablet.line.state = 'captive'
    await pass(5000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'running', answer: null })
  })

  it('stops at 408 as a state of its own; asked again it may have become final (D61)', async () => {
    const tablet = await app.signedIn('admin@m18')
    const work = paced(app.server, 1)
    const asked = verify(tablet)
    await expect.poll(() => only(tablet)).toMatchObject({ state: 'running' })
    await app.clock.turn(15 * 60_000)
    await pass(2000, tablet)
    expect(await asked).toMatchObject({ kind: 'problem', problem: { code: 'REQUEST_TIMEOUT', status: 408 } })
    const job = await only(tablet)
    expect(job).toMatchObject({ state: 'timeout' })
    const before = polls(tablet).length
    await pass(5000, tablet)
    expect(polls(tablet).length).toBe(before)

    await jobsOf(tablet.ports).again(job?.intent ?? '')
    await pass(1000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'timeout' })
    await work.step()
    await work.step()
    await jobsOf(tablet.ports).again(job?.intent ?? '')
    await pass(1000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'done', problem: null })
  })

  it('learns after a day that the result is gone', async () => {
    const tablet = await app.signedIn('admin@m18')
    const work = paced(app.server, 1)
    await begun(tablet)
    await work.step()
    await work.step()
    await app.clock.turn(25 * 3_600_000)
    await comeIn(tablet, 'admin@m18')
    await pass(2000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'gone', problem: { code: 'GONE' } })
  })
})

describe('a queued write that the server answers with 202', () => {
  it('leaves the outbox as a long request, in one step, and is followed to its end (protocol 39)', async () => {
    const clock = createClock()
    const server = createScripted(clock)
    const tablet = createTablet((sent) => server.answer(sent), clock)
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.api.call(listUsers, { params: { companyId: company } })
    await tablet.rest()
    const location = '/api/request/0123456789abcdef'
    const answers: Record<string, Received> = {
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
    server.script = ({ method, path, headers: sent }) => {
      const said = method === 'PUT' || path === location ? answers[method] : undefined
      return said ? { ...said, headers: { ...said.headers, [headers.key]: sent[headers.key] ?? '' } } : null
    }
    await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
    expect(await tablet.waiting()).toBe(0)
    expect(await only(tablet)).toMatchObject({ endpoint: 'updateCompanyUser', state: 'running', location })
    // The row is as the server last said: what is going on has not happened yet.
    expect(await tablet.row('users', 2)).toMatchObject({ row: { title: 0 }, waiting: null })
    await watch(tablet.ports, { forMs: 0 })
    expect(await only(tablet)).toMatchObject({ state: 'done', answer: { body: '{"moved":true}' } })
  })
})
