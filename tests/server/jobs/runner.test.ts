import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import type { JobKind, Step } from '#server/jobs/job-kind.ts'
import { pace, runJobs, workOne } from '#server/jobs/runner.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { ask, begin } from '#tests/server/jobs/requests.ts'
import { eachEngine } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const output = { companies: 0, rows: 0, broken: [] }
const never = new Promise<never>(() => {})

/** Ten steps that leave a mark each; what happens at one of them is up to the test. */
function tenSteps(resumes: boolean, at: (step: number) => Promise<unknown> | undefined = () => undefined) {
  const marks: number[] = []
  const kind: JobKind<unknown, number> = {
    resumes,
    async step({ point }): Promise<Step<number, unknown>> {
      const step = (point ?? 0) + 1
      if (step > 10) return { kind: 'done', output }
      marks.push(step)
      await at(step)
      return { kind: 'on', point: step, percent: step * 10 }
    },
  }
  return { marks, kinds: { 'verify-trail': kind as JobKind } }
}

const oneToTen = Array.from({ length: 10 }, (_, at) => at + 1)

eachEngine('work on a long request', (engine) => {
  let server: TestServer
  let staff: SignedIn
  let location: string
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  beforeEach(async () => {
    await server.reset()
    staff = await server.signIn('admin@m18')
    location = String((await begin(staff)).headers.location)
  })
  afterAll(() => server.close())

  const runs = async (...kinds: ReturnType<typeof tenSteps>['kinds'][]) => {
    for (const kind of kinds) await workOne(server.app, kind)
  }

  /** Stands for a kill: the step never comes back, and nobody takes care of its lease. */
  const cutAt = (fatal: number) => {
    let reached = () => {}
    const there = new Promise<void>((go) => (reached = go))
    const cut = tenSteps(true, (step) => {
      if (step !== fatal) return undefined
      reached()
      return never
    })
    return { ...cut, there }
  }

  it('that a kill cuts off anywhere goes on from its last step, and no step that was recorded is done twice (R-24)', async () => {
    const done: number[] = []
    for (const fatal of [1, 4, 10]) {
      const { marks, kinds, there } = cutAt(fatal)
      void workOne(server.app, kinds)
      await there
      // Still leased: nobody else takes it.
      expect(await workOne(server.app, kinds)).toBe(false)
      server.clock.now += pace.lease
      done.push(...marks.slice(0, -1))
    }
    const last = tenSteps(true)
    await runs(last.kinds)
    expect([...done, ...last.marks]).toEqual(oneToTen)
    expect((await ask(staff, location)).json()).toEqual(output)
  })

  it('that may not be repeated ends as interrupted, to be started anew by a person, and is never a 404 (R-24)', async () => {
    const first = cutAt(3)
    const once = { 'verify-trail': { ...first.kinds['verify-trail'], resumes: false } }
    void workOne(server.app, once)
    await first.there
    server.clock.now += pace.lease
    const second = tenSteps(false)
    await runs(second.kinds)
    expect(second.marks).toEqual([])
    const final = await ask(staff, location)
    expect([final.statusCode, final.json().errorCode]).toEqual([503, 'INTERRUPTED'])
    expect(final.headers['idempotency-outcome']).toMatch(/^refused; /)
  })

  it('done under an old lease records nothing once somebody else has the job', async () => {
    let wake = () => {}
    const asleep = new Promise<void>((go) => (wake = go))
    let reached = () => {}
    const there = new Promise<void>((go) => (reached = go))
    const slow = tenSteps(true, (step) => {
      if (step !== 2) return undefined
      reached()
      return asleep
    })
    const sleeping = workOne(server.app, slow.kinds)
    await there
    server.clock.now += pace.lease
    const quick = tenSteps(true)
    await runs(quick.kinds)
    expect((await ask(staff, location)).statusCode).toBe(200)
    wake()
    await sleeping
    expect(slow.marks).toEqual([1, 2])
    expect(quick.marks).toEqual(oneToTen.slice(1))
  })

  it('that fails in passing is tried again after a wait, and given up after five times', async () => {
    let failing = 3
    const flaky = tenSteps(true, (step) =>
      step === 5 && failing-- > 0 ? Promise.reject(new Error('the other side hung up')) : undefined,
    )
    for (let at = 0; at < 4; at++) {
      await runs(flaky.kinds)
      server.clock.now += 60_000
    }
    staff = await server.signIn('admin@m18')
    expect((await ask(staff, location)).statusCode).toBe(200)
    expect(flaky.marks.filter((step) => step === 5)).toHaveLength(4)

    const hopeless = tenSteps(true, () => Promise.reject(new Error('no')))
    const place = String((await begin(staff)).headers.location)
    for (let at = 0; at < 6; at++) {
      await runs(hopeless.kinds)
      server.clock.now += 60_000
    }
    const final = await ask(await server.signIn('admin@m18'), place)
    expect([final.statusCode, final.json().errorCode]).toEqual([500, 'SERVER_ERROR'])
    expect(hopeless.marks).toHaveLength(5)
  })

  it('ends at once with a refusal that follows from the rules', async () => {
    const refused = tenSteps(true, () => Promise.reject(new ProblemError('STATE_CONFLICT', { why: 'paid' })))
    await runs(refused.kinds)
    const final = await ask(staff, location)
    expect([final.statusCode, final.json()]).toMatchObject([
      409,
      { errorCode: 'STATE_CONFLICT', data: { why: 'paid' } },
    ])
  })

  it('is put down between two steps when the server is told to stop, and taken up again at once', async () => {
    const stop = new AbortController()
    const stopped = tenSteps(true, (step) => {
      if (step === 4) stop.abort()
      return undefined
    })
    await workOne(server.app, stopped.kinds, stop.signal)
    const next = tenSteps(true)
    await runs(next.kinds)
    expect([...stopped.marks, ...next.marks]).toEqual(oneToTen)
  })

  it('begins as soon as it is asked for, by a runner that is otherwise idle', async () => {
    const work = tenSteps(true)
    const stop = runJobs(server.app, work.kinds)
    try {
      await expect.poll(async () => (await ask(staff, location)).statusCode).toBe(200)
      const asked = performance.now()
      const next = String((await begin(staff)).headers.location)
      // The first of its steps, behind the ten of the one before.
      await expect.poll(() => work.marks.length, { interval: 20 }).toBeGreaterThan(10)
      expect(performance.now() - asked).toBeLessThan(pace.look / 2)
      await expect.poll(async () => (await ask(staff, next)).statusCode).toBe(200)
    } finally {
      await stop()
    }
  })

  const leaseUntil = () =>
    inTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const { lease_until } = await db.selectFrom('job').select('lease_until').executeTakeFirstOrThrow()
      return lease_until
    })

  it('keeps its lease through a step that is longer than it', async () => {
    let reached = () => {}
    const there = new Promise<void>((go) => (reached = go))
    let wake = () => {}
    const long = tenSteps(true, (step) => {
      if (step !== 1) return undefined
      reached()
      return new Promise<void>((go) => (wake = go))
    })
    const beat = pace.heartbeat
    pace.heartbeat = 20
    try {
      const working = workOne(server.app, long.kinds)
      await there
      server.clock.now += pace.lease - 1
      await expect.poll(leaseUntil).toBe(server.clock.now + pace.lease)
      server.clock.now += 2
      expect(await workOne(server.app, tenSteps(true).kinds)).toBe(false)
      wake()
      await working
    } finally {
      pace.heartbeat = beat
    }
    expect((await ask(staff, location)).statusCode).toBe(200)
  })
})
