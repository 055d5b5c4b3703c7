import { describe, expect, it } from 'vitest'
import { createLocalProblem } from '#contract/problem.ts'
import { claimPoll, dismissJob, applyPollResult, type PollResult, markSeen, recordJob } from '#local/jobs/job-store.ts'
import type { Job } from '#local/storage/records.ts'
import { type TestDevice, openTestDevice } from '#tests/support/device/device-database.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const startTime = 1_000_000

const buildJobDraft = (intent: string, since = startTime) => ({
  intent,
  key: crypto.randomUUID(),
  endpoint: 'verifyTrail',
  input: {},
  forUser: '7:1',
  since,
})
const runningResult: PollResult = { kind: 'running', location: '/api/request/abcdefgh', percent: 0 }

async function recordRunningJob(testDevice: TestDevice, intent = 'a', since = startTime): Promise<Job> {
  const job = await recordJob(testDevice.db, buildJobDraft(intent, since))
  await applyPollResult(testDevice.db, job, runningResult, { now: since, generation: testDevice.generation })
  return job
}
const readJob = ({ db }: TestDevice, intent = 'a') => db.jobs.get(intent)
const claimJobPoll = ({ db, generation }: TestDevice, now: number) =>
  claimPoll(db, 'a', { now, leaseMs: minuteMs, generation })

describe('the job store', () => {
  it('gives a job to one poller per second', async () => {
    const testDevice = await openTestDevice()
    await recordRunningJob(testDevice)
    const claims = await Promise.all([1, 2, 3].map(() => claimJobPoll(testDevice, startTime)))
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await claimJobPoll(testDevice, startTime + 999)).toBeNull()
    expect(await claimJobPoll(testDevice, startTime + 1000)).not.toBeNull()
  })

  it('never lowers the displayed progress', async () => {
    const testDevice = await openTestDevice()
    await recordRunningJob(testDevice)
    for (const percent of [10, 40, 30, 0]) {
      const job = await claimJobPoll(testDevice, startTime + percent * minuteMs)
      if (job)
        await applyPollResult(
          testDevice.db,
          job,
          { kind: 'running', percent },
          { now: startTime, generation: testDevice.generation },
        )
    }
    expect(await readJob(testDevice)).toMatchObject({ percent: 40 })
  })

  it('accepts only a final result from a poller that lost its claim (protocol 12)', async () => {
    const testDevice = await openTestDevice()
    await recordRunningJob(testDevice)
    const overtakenJob = await claimJobPoll(testDevice, startTime)
    await claimJobPoll(testDevice, startTime + minuteMs)
    if (!overtakenJob) throw new Error('not claimed')
    const applyOptions = { now: startTime, generation: testDevice.generation }
    await applyPollResult(
      testDevice.db,
      overtakenJob,
      { kind: 'timeout', problem: createLocalProblem('OFFLINE') },
      applyOptions,
    )
    expect(await readJob(testDevice)).toMatchObject({ state: 'running' })
    await applyPollResult(testDevice.db, overtakenJob, { kind: 'done', status: 200, body: '1' }, applyOptions)
    expect(await readJob(testDevice)).toMatchObject({ state: 'done', answer: { body: '1' } })
    // A finished job does not return to running.
    await applyPollResult(testDevice.db, overtakenJob, { kind: 'running', percent: 5 }, applyOptions)
    expect(await readJob(testDevice)).toMatchObject({ state: 'done', percent: 100 })
  })

  it('stores nothing that arrives after its session ended (protocol 10)', async () => {
    const testDevice = await openTestDevice()
    const job = await recordRunningJob(testDevice)
    await applyPollResult(
      testDevice.db,
      job,
      { kind: 'done', status: 200, body: '"x"' },
      { now: startTime, generation: testDevice.generation + 1 },
    )
    expect(await readJob(testDevice)).toMatchObject({ state: 'running', answer: null })
  })

  it('does not store a response of a million characters or more', async () => {
    const testDevice = await openTestDevice()
    const job = await recordRunningJob(testDevice)
    const body = JSON.stringify('x'.repeat(1_000_001))
    await applyPollResult(
      testDevice.db,
      job,
      { kind: 'done', status: 200, body },
      { now: startTime, generation: testDevice.generation },
    )
    expect(await readJob(testDevice)).toMatchObject({ state: 'done', answer: { status: 200, body: null } })
  })

  it("deletes a finished job at its user's request, or a week after it was seen", async () => {
    const testDevice = await openTestDevice()
    const job = await recordRunningJob(testDevice)
    await dismissJob(testDevice.db, 'a')
    expect(await readJob(testDevice)).toBeDefined()
    await applyPollResult(
      testDevice.db,
      job,
      { kind: 'done', status: 204, body: null },
      { now: startTime, generation: testDevice.generation },
    )
    await recordRunningJob(testDevice, 'b', startTime + 8 * dayMs)
    expect(await readJob(testDevice)).toBeDefined()
    await markSeen(testDevice.db, ['a', 'b'])
    expect(await readJob(testDevice, 'b')).toMatchObject({ seen: false })
    await recordRunningJob(testDevice, 'c', startTime + 9 * dayMs)
    expect(await readJob(testDevice)).toBeUndefined()
  })

  it('keeps 100 finished jobs, and deletes seen jobs first, and then the oldest', async () => {
    const testDevice = await openTestDevice()
    for (let index = 0; index < 102; index++) {
      const job = await recordRunningJob(testDevice, `j${index}`, startTime + index)
      await applyPollResult(
        testDevice.db,
        job,
        { kind: 'done', status: 204, body: null },
        { now: startTime + index, generation: testDevice.generation },
      )
    }
    await markSeen(testDevice.db, ['j50'])
    await recordRunningJob(testDevice, 'last', startTime + 200)
    const remainingIntents = (await testDevice.db.jobs.toArray()).map(({ intent }) => intent)
    expect(remainingIntents).toHaveLength(101)
    expect(['j0', 'j50'].filter((intent) => remainingIntents.includes(intent))).toEqual([])
    expect(remainingIntents).toContain('j1')
  })
})
