import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { runSchedule } from '#server/jobs/run-schedule.ts'
import { schedule } from '#server/jobs/schedule.ts'
import { createUnavailableProblem } from '#server/problems/problem-error.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'
import { createLineSink } from '#tests/support/server/server.ts'

const secondMs = 1000

function createApp() {
  const lines: string[] = []
  const state = { hasFreeSpace: true }
  const app = {
    config: { hosting: 'off' },
    database: { hasFreeSpace: () => state.hasFreeSpace },
    log: createLogger('info', createLineSink(lines)),
  } as unknown as AppContext
  return { app, state, lines }
}

const job = (fields: Partial<ScheduledJob>): ScheduledJob => ({
  name: 'try',
  firstMs: 2 * secondMs,
  everyMs: 10 * secondMs,
  runs: 'node',
  run: async () => undefined,
  ...fields,
})

describe('runSchedule', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const advanceTime = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  it('runs a job soon after the start and then at its interval, but not while the disk is nearly full', async () => {
    const { app, state } = createApp()
    const run = vi.fn(async () => undefined)
    const stop = runSchedule(app, [job({ run })])
    await advanceTime(1.9 * secondMs)
    expect(run).toHaveBeenCalledTimes(0)
    await advanceTime(0.2 * secondMs)
    expect(run).toHaveBeenCalledTimes(1)
    await advanceTime(8 * secondMs)
    expect(run).toHaveBeenCalledTimes(2)
    state.hasFreeSpace = false
    await advanceTime(10 * secondMs)
    expect(run).toHaveBeenCalledTimes(2)
    state.hasFreeSpace = true
    await stop()
    await advanceTime(30 * secondMs)
    expect(run).toHaveBeenCalledTimes(2)
  })

  it("never runs a job twice at a time, logs a failure with the job's name, and continues", async () => {
    const { app, lines } = createApp()
    const finishCallbacks: (() => void)[] = []
    const slowRun = vi.fn(() => new Promise<void>((resolve) => void finishCallbacks.push(resolve)))
    const failingRun = vi.fn(async () => Promise.reject(new Error('no answer')))
    const stop = runSchedule(app, [
      job({ run: slowRun }),
      job({ name: 'fails', run: failingRun }),
      job({ name: 'fails-badly', run: failingRun, failureLevel: 'error' }),
      job({ name: 'is-busy', run: async () => Promise.reject(createUnavailableProblem(5)), failureLevel: 'error' }),
    ])
    await advanceTime(25 * secondMs)
    expect(slowRun).toHaveBeenCalledTimes(1)
    expect(failingRun).toHaveBeenCalledTimes(6)
    const logEntries = lines.map((line) => JSON.parse(line) as { level: number; job: string; event: string })
    expect(logEntries[0]).toMatchObject({ level: 40, job: 'fails', event: 'scheduled_job_failed' })
    expect(logEntries[1]).toMatchObject({ level: 50, job: 'fails-badly' })
    expect(logEntries[2]).toMatchObject({ level: 40, job: 'is-busy' })
    finishCallbacks.shift()?.()
    await advanceTime(10 * secondMs)
    expect(slowRun).toHaveBeenCalledTimes(2)
    finishCallbacks.shift()?.()
    await stop()
  })

  it('notifies running jobs when it stops, and waits for them for a limited time', async () => {
    const { app } = createApp()
    const stopSignals: boolean[] = []
    let finishRun: () => void = () => undefined
    const run = async (_app: AppContext, isStopping: () => boolean) => {
      await new Promise<void>((resolve) => (finishRun = resolve))
      stopSignals.push(isStopping())
    }
    const stop = runSchedule(app, [job({ run }), job({ name: 'hangs', run: () => new Promise(() => undefined) })])
    await advanceTime(3 * secondMs)
    let isStopped = false
    const stopping = stop().then(() => (isStopped = true))
    finishRun()
    await advanceTime(1 * secondMs)
    expect([stopSignals, isStopped]).toEqual([[true], false])
    await advanceTime(5 * secondMs)
    await stopping
    expect(isStopped).toBe(true)
  })

  it('runs a job once for several wake-ups, and skips jobs that are not needed', async () => {
    const { app } = createApp()
    const run = vi.fn(async () => undefined)
    const isNeeded: ScheduledJob['isNeeded'] = ({ hosting }) => hosting === 'local'
    const unneededRun = vi.fn(async () => undefined)
    const unlisten = vi.fn()
    let wake: () => void = () => undefined
    const listen: ScheduledJob['listen'] = (_app, callback) => {
      wake = callback
      return unlisten
    }
    const lateTimings = { firstMs: 3_600_000, everyMs: 3_600_000 }
    const stop = runSchedule(app, [job({ ...lateTimings, run, listen }), job({ run: unneededRun, isNeeded })])
    for (let calls = 0; calls < 5; calls++) wake()
    await advanceTime(1 * secondMs)
    expect(run).toHaveBeenCalledTimes(1)
    wake()
    await stop()
    await advanceTime(20 * secondMs)
    expect([run.mock.calls.length, unlisten.mock.calls.length, unneededRun.mock.calls.length]).toEqual([1, 1, 0])
  })

  it('runs jobs of hosted services only while this node may host them', async () => {
    const { app } = createApp()
    let isHost = false
    const run = vi.fn(async (_app: AppContext, isStopping: () => boolean) => {
      expect(isStopping()).toBe(false)
      isHost = false
      expect(isStopping()).toBe(true)
    })
    const stop = runSchedule(app, [job({ run, runs: 'hosting' })], { canHost: () => isHost })
    await advanceTime(12 * secondMs)
    expect(run).toHaveBeenCalledTimes(0)
    isHost = true
    await advanceTime(20 * secondMs)
    expect(run).toHaveBeenCalledTimes(1)
    await stop()
  })

  it('The schedule has a unique name, valid times and an early first run for every job', () => {
    const names = schedule.map(({ name }) => name)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
    const isPositiveInteger = (ms: number) => Number.isSafeInteger(ms) && ms > 0
    expect(
      schedule.filter(({ firstMs, everyMs }) => !isPositiveInteger(firstMs) || !isPositiveInteger(everyMs)),
    ).toEqual([])
    // After a kill, every job must run again within minutes of the start, even if its interval is long.
    expect(schedule.filter(({ firstMs }) => firstMs > 10 * 60_000)).toEqual([])
  })
})
