import { describe, expect, it } from 'vitest'
import { localProblem } from '#contract/problem.ts'
import { claimPoll, dismissJob, applyPollResult, type PollResult, markSeen, recordJob } from '#local/jobs/job-store.ts'
import type { Job } from '#local/storage/records.ts'
import { type Kept, keptDevice } from '#tests/support/device/device-database.ts'

const minute = 60_000
const dayMs = 86_400_000
const start = 1_000_000

const draft = (intent: string, since = start) => ({
  intent,
  key: crypto.randomUUID(),
  endpoint: 'verifyTrail',
  input: {},
  forUser: '7:1',
  since,
})
const running: PollResult = { kind: 'running', location: '/api/request/abcdefgh', percent: 0 }

async function aJob(kept: Kept, intent = 'a', since = start): Promise<Job> {
  const job = await recordJob(kept.db, draft(intent, since))
  await applyPollResult(kept.db, job, running, { now: since, generation: kept.generation })
  return job
}
const rowOf = ({ db }: Kept, intent = 'a') => db.jobs.get(intent)
const claim = ({ db, generation }: Kept, now: number) => claimPoll(db, 'a', { now, leaseMs: minute, generation })

describe('the row of a long request', () => {
  it('goes to one who asks in a second, and is not free for another before the next', async () => {
    const kept = await keptDevice()
    await aJob(kept)
    const claims = await Promise.all([1, 2, 3].map(() => claim(kept, start)))
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await claim(kept, start + 999)).toBeNull()
    expect(await claim(kept, start + 1000)).not.toBeNull()
  })

  it('never shows less progress than before', async () => {
    const kept = await keptDevice()
    await aJob(kept)
    for (const percent of [10, 40, 30, 0]) {
      const job = await claim(kept, start + percent * minute)
      if (job)
        await applyPollResult(kept.db, job, { kind: 'running', percent }, { now: start, generation: kept.generation })
    }
    expect(await rowOf(kept)).toMatchObject({ percent: 40 })
  })

  it('takes from one who was overtaken only what is final (protocol 12)', async () => {
    const kept = await keptDevice()
    await aJob(kept)
    const slow = await claim(kept, start)
    await claim(kept, start + minute)
    if (!slow) throw new Error('not claimed')
    const at = { now: start, generation: kept.generation }
    await applyPollResult(kept.db, slow, { kind: 'timeout', problem: localProblem('OFFLINE') }, at)
    expect(await rowOf(kept)).toMatchObject({ state: 'running' })
    await applyPollResult(kept.db, slow, { kind: 'done', status: 200, body: '1' }, at)
    expect(await rowOf(kept)).toMatchObject({ state: 'done', answer: { body: '1' } })
    // And what has ended does not run again.
    await applyPollResult(kept.db, slow, { kind: 'running', percent: 5 }, at)
    expect(await rowOf(kept)).toMatchObject({ state: 'done', percent: 100 })
  })

  it('stores nothing that comes after its session ended (protocol 10)', async () => {
    const kept = await keptDevice()
    const job = await aJob(kept)
    await applyPollResult(
      kept.db,
      job,
      { kind: 'done', status: 200, body: '"x"' },
      { now: start, generation: kept.generation + 1 },
    )
    expect(await rowOf(kept)).toMatchObject({ state: 'running', answer: null })
  })

  it('does not keep an answer of a million characters and more', async () => {
    const kept = await keptDevice()
    const job = await aJob(kept)
    const body = JSON.stringify('x'.repeat(1_000_001))
    await applyPollResult(
      kept.db,
      job,
      { kind: 'done', status: 200, body },
      { now: start, generation: kept.generation },
    )
    expect(await rowOf(kept)).toMatchObject({ state: 'done', answer: { status: 200, body: null } })
  })

  it('is forgotten by its user only once it has ended, and by itself a week after it was seen', async () => {
    const kept = await keptDevice()
    const job = await aJob(kept)
    await dismissJob(kept.db, 'a')
    expect(await rowOf(kept)).toBeDefined()
    await applyPollResult(
      kept.db,
      job,
      { kind: 'done', status: 204, body: null },
      { now: start, generation: kept.generation },
    )
    await aJob(kept, 'b', start + 8 * dayMs)
    expect(await rowOf(kept)).toBeDefined()
    await markSeen(kept.db, ['a', 'b'])
    expect(await rowOf(kept, 'b')).toMatchObject({ seen: false })
    await aJob(kept, 'c', start + 9 * dayMs)
    expect(await rowOf(kept)).toBeUndefined()
  })

  it('makes room for a hundred that have ended, those first that were seen', async () => {
    const kept = await keptDevice()
    for (let at = 0; at < 102; at++) {
      const job = await aJob(kept, `j${at}`, start + at)
      await applyPollResult(
        kept.db,
        job,
        { kind: 'done', status: 204, body: null },
        { now: start + at, generation: kept.generation },
      )
    }
    await markSeen(kept.db, ['j50'])
    await aJob(kept, 'last', start + 200)
    const left = (await kept.db.jobs.toArray()).map(({ intent }) => intent)
    expect(left).toHaveLength(101)
    expect(['j0', 'j50'].filter((intent) => left.includes(intent))).toEqual([])
    expect(left).toContain('j1')
  })
})
