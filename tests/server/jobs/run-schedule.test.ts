import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildLog } from '#server/context/log.ts'
import type { AppContext } from '#server/context/context.ts'
import { runSchedule } from '#server/jobs/run-schedule.ts'
import { schedule } from '#server/jobs/schedule.ts'
import { unavailable } from '#server/problems/problem-error.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'
import { lineSink } from '#tests/support/server/server.ts'

const second = 1000

function createApp() {
  const lines: string[] = []
  const state = { hasFreeSpace: true }
  const app = {
    config: { hosting: 'off' },
    database: { hasFreeSpace: () => state.hasFreeSpace },
    log: buildLog('info', lineSink(lines)),
  } as unknown as AppContext
  return { app, state, lines }
}

const job = (fields: Partial<ScheduledJob>): ScheduledJob => ({
  name: 'try',
  firstMs: 2 * second,
  everyMs: 10 * second,
  runs: 'node',
  run: async () => undefined,
  ...fields,
})

describe('scheduled jobs', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  it('run soon after the start and then at their interval, but not while the disk is nearly full', async () => {
    const { app, state } = createApp()
    const run = vi.fn(async () => undefined)
    const stop = runSchedule(app, [job({ run })])
    await pass(1.9 * second)
    expect(run).toHaveBeenCalledTimes(0)
    await pass(0.2 * second)
    expect(run).toHaveBeenCalledTimes(1)
    await pass(8 * second)
    expect(run).toHaveBeenCalledTimes(2)
    state.hasFreeSpace = false
    await pass(10 * second)
    expect(run).toHaveBeenCalledTimes(2)
    state.hasFreeSpace = true
    await stop()
    await pass(30 * second)
    expect(run).toHaveBeenCalledTimes(2)
  })

  it('never run twice at a time, and a failure is logged by name and ends nothing', async () => {
    const { app, lines } = createApp()
    const ends: (() => void)[] = []
    const slow = vi.fn(() => new Promise<void>((resolve) => void ends.push(resolve)))
    const failing = vi.fn(async () => Promise.reject(new Error('no answer')))
    const stop = runSchedule(app, [
      job({ run: slow }),
      job({ name: 'fails', run: failing }),
      job({ name: 'fails-badly', run: failing, failureLevel: 'error' }),
      job({ name: 'is-busy', run: async () => Promise.reject(unavailable(5)), failureLevel: 'error' }),
    ])
    await pass(25 * second)
    expect(slow).toHaveBeenCalledTimes(1)
    expect(failing).toHaveBeenCalledTimes(6)
    const logged = lines.map((line) => JSON.parse(line) as { level: number; job: string; msg: string })
    expect(logged[0]).toMatchObject({ level: 40, job: 'fails', msg: 'a scheduled job failed' })
    expect(logged[1]).toMatchObject({ level: 50, job: 'fails-badly' })
    expect(logged[2]).toMatchObject({ level: 40, job: 'is-busy' })
    ends.shift()?.()
    await pass(10 * second)
    expect(slow).toHaveBeenCalledTimes(2)
    ends.shift()?.()
    await stop()
  })

  it('are told of the end and waited for, but not for ever', async () => {
    const { app } = createApp()
    const told: boolean[] = []
    let end: () => void = () => undefined
    const run = async (_app: AppContext, isStopping: () => boolean) => {
      await new Promise<void>((resolve) => (end = resolve))
      told.push(isStopping())
    }
    const stop = runSchedule(app, [job({ run }), job({ name: 'hangs', run: () => new Promise(() => undefined) })])
    await pass(3 * second)
    let isStopped = false
    const stopping = stop().then(() => (isStopped = true))
    end()
    await pass(1 * second)
    expect([told, isStopped]).toEqual([[true], false])
    await pass(5 * second)
    await stopping
    expect(isStopped).toBe(true)
  })

  it('run once for all wake-ups of a moment, and only where they are needed', async () => {
    const { app } = createApp()
    const run = vi.fn(async () => undefined)
    const isNeeded: ScheduledJob['isNeeded'] = ({ hosting }) => hosting === 'local'
    const unneeded = vi.fn(async () => undefined)
    const unlisten = vi.fn()
    let wake: () => void = () => undefined
    const listen: ScheduledJob['listen'] = (_app, called) => {
      wake = called
      return unlisten
    }
    const late = { firstMs: 3_600_000, everyMs: 3_600_000 }
    const stop = runSchedule(app, [job({ ...late, run, listen }), job({ run: unneeded, isNeeded })])
    for (let calls = 0; calls < 5; calls++) wake()
    await pass(1 * second)
    expect(run).toHaveBeenCalledTimes(1)
    wake()
    await stop()
    await pass(20 * second)
    expect([run.mock.calls.length, unlisten.mock.calls.length, unneeded.mock.calls.length]).toEqual([1, 1, 0])
  })

  it('have a name each, and begin before their interval is over', () => {
    const names = schedule.map(({ name }) => name)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
    const isWhole = (ms: number) => Number.isSafeInteger(ms) && ms > 0
    expect(schedule.filter(({ firstMs, everyMs }) => !isWhole(firstMs) || !isWhole(everyMs))).toEqual([])
    // A start that follows a kill catches up within minutes, whatever the interval.
    expect(schedule.filter(({ firstMs }) => firstMs > 10 * 60_000)).toEqual([])
  })
})
