import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '#server/context/log.ts'
import { type DatabaseTime, followDatabaseTime, openClusterClock } from '#server/db/cluster/cluster-clock.ts'
import { openTestDatabase, silent } from '#tests/support/server/database.ts'
import { describeNodes, openTestNodes, type TestNodes } from '#tests/support/server/nodes.ts'
import { createLineSink } from '#tests/support/server/server.ts'

const minuteMs = 60_000

/** Opens a clock over a database whose time the test sets. Each response takes `delayMs`. */
async function openClock(delayMs = 0) {
  const lines: string[] = []
  const state = { time: 1_000_000_000, monotonic: 500, machine: 5000, delayMs, isReachable: true }
  const pass = (ms: number) => {
    state.time += ms
    state.monotonic += ms
    state.machine += ms
  }
  const databaseTime: DatabaseTime = (work) =>
    work(async () => {
      if (!state.isReachable) throw new Error('the database cannot be reached')
      pass(state.delayMs / 2)
      const { time } = state
      pass(state.delayMs / 2)
      return time
    })
  const clock = await followDatabaseTime(databaseTime, createLogger('info', createLineSink(lines)), {
    machine: () => state.machine,
    monotonic: () => state.monotonic,
  })
  clock.close()
  return { clock, state, pass, lines }
}

describe('the clock of the cluster', () => {
  it('follows the database, whatever the clock of the machine does, also while the database is away', async () => {
    const { clock, state, pass } = await openClock()
    expect(clock.now()).toBe(1_000_000_000)
    state.machine += 120_000
    pass(70)
    expect(clock.now()).toBe(1_000_000_070)
    state.isReachable = false
    await expect(clock.measure()).rejects.toThrow('cannot be reached')
    state.machine -= 500_000
    pass(30)
    expect(clock.now()).toBe(1_000_000_100)
  })

  it('jumps forward, but never back: it runs at half speed until the database has caught up', async () => {
    const { clock, state, pass } = await openClock()
    state.time += 5000
    await clock.measure()
    expect(clock.now()).toBe(1_000_005_000)
    state.time -= 1000
    await clock.measure()
    const times: number[] = []
    for (let index = 0; index < 25; index++) {
      times.push(clock.now())
      pass(100)
    }
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[10]).toBe(1_000_005_500)
    expect(clock.now()).toBe(Math.floor(state.time))
  })

  it('does not become less exact by slow responses', async () => {
    const { clock, state, pass } = await openClock(2)
    expect(Math.abs(clock.now() - state.time)).toBeLessThanOrEqual(1)
    state.delayMs = 3000
    await clock.measure()
    pass(10)
    expect(Math.abs(clock.now() - state.time)).toBeLessThanOrEqual(1)
  })

  it("warns once an hour if the machine's clock differs by more than five seconds", async () => {
    const { clock, state, pass, lines } = await openClock()
    const countWarnings = () => lines.filter((line) => line.includes('"event":"clock_differs"')).length
    expect(countWarnings()).toBe(1)
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ level: 40, differenceMs: 5000 - 1_000_000_000 })
    pass(59 * minuteMs)
    await clock.measure()
    expect(countWarnings()).toBe(1)
    pass(2 * minuteMs)
    await clock.measure()
    expect(countWarnings()).toBe(2)
    state.machine = state.time + 4999
    pass(61 * minuteMs)
    await clock.measure()
    expect(countWarnings()).toBe(2)
  })

  it('is the clock of the process on the embedded database', async () => {
    const database = await openTestDatabase('embedded')
    const clock = await openClusterClock(database, silent, { machine: () => 42, monotonic: () => 0 })
    expect(clock.now()).toBe(42)
    await database.close()
  })
})

describeNodes('the clocks of two nodes', () => {
  let nodes: TestNodes
  beforeAll(async () => {
    nodes = await openTestNodes(2)
  })
  afterAll(() => nodes.close())

  it('agree with PostgreSQL although the clocks of their machines differ by 120 seconds', async () => {
    const clocks = await Promise.all(
      nodes.databases.map((database, index) =>
        openClusterClock(database, silent, {
          machine: () => Date.now() + index * 120_000,
          monotonic: () => performance.now() + index * 777,
        }),
      ),
    )
    const [first, second] = clocks
    const { rows } = await sql<{ time: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as time`.execute(nodes.databases[0]!.kysely)
    expect(Math.abs((first?.now() ?? 0) - (second?.now() ?? 0))).toBeLessThan(1000)
    expect(Math.abs((first?.now() ?? 0) - (rows[0]?.time ?? 0))).toBeLessThan(1000)
    for (const clock of clocks) clock.close()
  })
})
