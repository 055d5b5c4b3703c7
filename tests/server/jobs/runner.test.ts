import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import type { JobKind, JobStepResult } from '#server/jobs/job-kind.ts'
import { jobTimingsMs, runJobs, runOneJob } from '#server/jobs/runner.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { readJobStatus, startVerification } from '#tests/server/jobs/requests.ts'
import { eachEngine } from '#tests/support/server/database.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'

const output = { companies: 0, rows: 0, broken: [] }
const neverPromise = new Promise<never>(() => {})

/** Creates a job of ten steps that records each started step. `onStep` decides what happens in a step. */
function createTenStepJob(
  isResumable: boolean,
  onStep: (step: number) => Promise<unknown> | undefined = () => undefined,
) {
  const startedSteps: number[] = []
  const kind: JobKind<unknown, number> = {
    isResumable,
    async step({ point }): Promise<JobStepResult<number, unknown>> {
      const step = (point ?? 0) + 1
      if (step > 10) return { kind: 'done', output }
      startedSteps.push(step)
      await onStep(step)
      return { kind: 'on', point: step, percent: step * 10 }
    },
  }
  return { startedSteps, kinds: { 'verify-trail': kind as JobKind } }
}

const oneToTen = Array.from({ length: 10 }, (_, index) => index + 1)

eachEngine('the job runner', (engine) => {
  let server: TestServer
  let staff: SignedIn
  let location: string
  beforeAll(async () => {
    server = await startServer({ engine })
  })
  beforeEach(async () => {
    await server.reset()
    staff = await server.signIn('admin@m18')
    location = String((await startVerification(staff)).headers.location)
  })
  afterAll(() => server.close())

  const runOnce = async (...kinds: ReturnType<typeof createTenStepJob>['kinds'][]) => {
    for (const kind of kinds) await runOneJob(server.app, kind)
  }

  /** Creates a job that simulates a kill in the step `fatalStep`: the step never returns, and its lease is not renewed. */
  const createJobCutAt = (fatalStep: number) => {
    let markReached = () => {}
    const reachedStep = new Promise<void>((resolve) => (markReached = resolve))
    const cutJob = createTenStepJob(true, (step) => {
      if (step !== fatalStep) return undefined
      markReached()
      return neverPromise
    })
    return { ...cutJob, reachedStep }
  }

  it('A killed job continues after its last recorded step and repeats no recorded step (R-24)', async () => {
    const doneSteps: number[] = []
    for (const fatalStep of [1, 4, 10]) {
      const { startedSteps, kinds, reachedStep } = createJobCutAt(fatalStep)
      void runOneJob(server.app, kinds)
      await reachedStep
      // The lease is still valid, so no other runner claims the job.
      expect(await runOneJob(server.app, kinds)).toBe(false)
      server.clock.now += jobTimingsMs.lease
      doneSteps.push(...startedSteps.slice(0, -1))
    }
    const lastJob = createTenStepJob(true)
    await runOnce(lastJob.kinds)
    expect([...doneSteps, ...lastJob.startedSteps]).toEqual(oneToTen)
    expect((await readJobStatus(staff, location)).json()).toEqual(output)
  })

  it('A killed job that may not be repeated ends as interrupted, and its status is never a 404 (R-24)', async () => {
    const cutJob = createJobCutAt(3)
    const onceKinds = { 'verify-trail': { ...cutJob.kinds['verify-trail'], isResumable: false } }
    void runOneJob(server.app, onceKinds)
    await cutJob.reachedStep
    server.clock.now += jobTimingsMs.lease
    const nextJob = createTenStepJob(false)
    await runOnce(nextJob.kinds)
    expect(nextJob.startedSteps).toEqual([])
    const finalResponse = await readJobStatus(staff, location)
    expect([finalResponse.statusCode, finalResponse.json().errorCode]).toEqual([503, 'INTERRUPTED'])
    expect(finalResponse.headers['idempotency-outcome']).toMatch(/^refused; /)
  })

  it('A step under an expired lease records nothing once another runner has taken over the job', async () => {
    let wake = () => {}
    const sleep = new Promise<void>((resolve) => (wake = resolve))
    let markReached = () => {}
    const reachedStep = new Promise<void>((resolve) => (markReached = resolve))
    const slowJob = createTenStepJob(true, (step) => {
      if (step !== 2) return undefined
      markReached()
      return sleep
    })
    const slowRun = runOneJob(server.app, slowJob.kinds)
    await reachedStep
    server.clock.now += jobTimingsMs.lease
    const quickJob = createTenStepJob(true)
    await runOnce(quickJob.kinds)
    expect((await readJobStatus(staff, location)).statusCode).toBe(200)
    wake()
    await slowRun
    expect(slowJob.startedSteps).toEqual([1, 2])
    expect(quickJob.startedSteps).toEqual(oneToTen.slice(1))
  })

  it('A job with a temporary error is retried after a wait, and fails after five attempts', async () => {
    let failuresLeft = 3
    const flakyJob = createTenStepJob(true, (step) =>
      step === 5 && failuresLeft-- > 0 ? Promise.reject(new Error('the other side hung up')) : undefined,
    )
    for (let index = 0; index < 4; index++) {
      await runOnce(flakyJob.kinds)
      server.clock.now += 60_000
    }
    staff = await server.signIn('admin@m18')
    expect((await readJobStatus(staff, location)).statusCode).toBe(200)
    expect(flakyJob.startedSteps.filter((step) => step === 5)).toHaveLength(4)

    const hopelessJob = createTenStepJob(true, () => Promise.reject(new Error('no')))
    const jobLocation = String((await startVerification(staff)).headers.location)
    for (let index = 0; index < 6; index++) {
      await runOnce(hopelessJob.kinds)
      server.clock.now += 60_000
    }
    const finalResponse = await readJobStatus(await server.signIn('admin@m18'), jobLocation)
    expect([finalResponse.statusCode, finalResponse.json().errorCode]).toEqual([500, 'SERVER_ERROR'])
    expect(hopelessJob.startedSteps).toHaveLength(5)
  })

  it('A job ends immediately if a step is refused by a rule', async () => {
    const refusedJob = createTenStepJob(true, () => Promise.reject(new ProblemError('STATE_CONFLICT', { why: 'paid' })))
    await runOnce(refusedJob.kinds)
    const finalResponse = await readJobStatus(staff, location)
    expect([finalResponse.statusCode, finalResponse.json()]).toMatchObject([
      409,
      { errorCode: 'STATE_CONFLICT', data: { why: 'paid' } },
    ])
  })

  it('A job pauses between two steps when the server stops, and can be continued immediately', async () => {
    const abortController = new AbortController()
    const stoppedJob = createTenStepJob(true, (step) => {
      if (step === 4) abortController.abort()
      return undefined
    })
    await runOneJob(server.app, stoppedJob.kinds, abortController.signal)
    const nextJob = createTenStepJob(true)
    await runOnce(nextJob.kinds)
    expect([...stoppedJob.startedSteps, ...nextJob.startedSteps]).toEqual(oneToTen)
  })

  it('An idle runner starts a job as soon as it is requested', async () => {
    const job = createTenStepJob(true)
    const stop = runJobs(server.app, job.kinds)
    try {
      await expect.poll(async () => (await readJobStatus(staff, location)).statusCode).toBe(200)
      const requestedAt = performance.now()
      const nextLocation = String((await startVerification(staff)).headers.location)
      // More than ten started steps are the ten of the previous job and the first of this job.
      await expect.poll(() => job.startedSteps.length, { interval: 20 }).toBeGreaterThan(10)
      expect(performance.now() - requestedAt).toBeLessThan(jobTimingsMs.poll / 2)
      await expect.poll(async () => (await readJobStatus(staff, nextLocation)).statusCode).toBe(200)
    } finally {
      await stop()
    }
  })

  const readLeaseEnd = () =>
    runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      const { lease_until } = await db.selectFrom('job').select('lease_until').executeTakeFirstOrThrow()
      return lease_until
    })

  it('A job keeps its lease during a step that is longer than the lease', async () => {
    let markReached = () => {}
    const reachedStep = new Promise<void>((resolve) => (markReached = resolve))
    let wake = () => {}
    const longJob = createTenStepJob(true, (step) => {
      if (step !== 1) return undefined
      markReached()
      return new Promise<void>((resolve) => (wake = resolve))
    })
    const usualHeartbeatMs = jobTimingsMs.heartbeat
    jobTimingsMs.heartbeat = 20
    try {
      const longRun = runOneJob(server.app, longJob.kinds)
      await reachedStep
      server.clock.now += jobTimingsMs.lease - 1
      await expect.poll(readLeaseEnd).toBe(server.clock.now + jobTimingsMs.lease)
      server.clock.now += 2
      expect(await runOneJob(server.app, createTenStepJob(true).kinds)).toBe(false)
      wake()
      await longRun
    } finally {
      jobTimingsMs.heartbeat = usualHeartbeatMs
    }
    expect((await readJobStatus(staff, location)).statusCode).toBe(200)
  })
})
