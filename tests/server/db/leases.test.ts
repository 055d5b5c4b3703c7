import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '#server/db/database.ts'
import {
  acquireClusterLeases,
  findClusterLease,
  listForeignLeases,
  releaseClusterLeases,
} from '#server/db/cluster/leases.ts'
import { claimScheduledRun, endScheduledRun } from '#server/db/cluster/scheduled-runs.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { testContext } from '#tests/support/server/database.ts'
import { describeNodes, openTestNodes, type TestNodes } from '#tests/support/server/nodes.ts'

interface ModelLease {
  node: number
  until: number
  fence: number
  since: number
}

describeNodes('leases', () => {
  let nodes: TestNodes
  let leaseCount = 0
  beforeAll(async () => {
    nodes = await openTestNodes(2)
  })
  afterAll(() => nodes.close())
  const createName = () => `lease ${leaseCount++}`
  const getDatabase = (index: number): Database => nodes.databases[index % 2]!
  const acquire = (index: number, names: string[], now: number, leaseMs = 10) =>
    writeAsSystem(testContext(getDatabase(index)), (db) =>
      acquireClusterLeases(db, names, { holder: `holder ${index}`, node: `node ${index}`, now, until: now + leaseMs }),
    )
  const release = (index: number, names: string[]) =>
    writeAsSystem(testContext(getDatabase(index)), (db) => releaseClusterLeases(db, names, `holder ${index}`))
  const find = (name: string) => writeAsSystem(testContext(getDatabase(0)), (db) => findClusterLease(db, name))

  it('have one holder, however many processes of two nodes want several of them at once', async () => {
    for (let now = 0; now < 50; now += 10) {
      const names = [createName(), createName(), createName()]
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) => acquire(index, index % 3 === 0 ? names.toReversed() : names, now)),
      )
      const holders = results.flatMap((leases) => [...leases.keys()])
      expect(holders.toSorted()).toEqual(names.toSorted())
    }
  })

  it('behave like a simple model in every history of acquiring, releasing and waiting', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('acquire' as const), node: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ kind: fc.constant('release' as const), node: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 15 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const name = createName()
        let now = 1000
        let model: ModelLease = { node: -1, until: 0, fence: 0, since: 0 }
        for (const action of steps) {
          const isActive = model.until > now
          if (action.kind === 'wait') now += action.ms
          else if (action.kind === 'release') {
            await release(action.node, [name])
            if (model.node === action.node) model.until = 0
          } else {
            const { node } = action
            const lease = (await acquire(node, [name], now)).get(name)
            const isRefused = isActive && model.node !== node
            expect(lease === undefined).toBe(isRefused)
            if (!isRefused)
              model = isActive
                ? { ...model, until: now + 10 }
                : { node, until: now + 10, fence: model.fence + 1, since: now }
          }
          const { node, ...times } = model
          if (times.fence > 0) expect(await find(name)).toMatchObject({ holder: `holder ${node}`, ...times })
        }
      }),
      { numRuns: 25 },
    )
  })

  it('can be taken from a holder that is known to have ended, but not from another one', async () => {
    const name = createName()
    await acquire(0, [name], 100)
    const takeOver = (endedHolder: string) =>
      writeAsSystem(testContext(getDatabase(1)), (db) =>
        acquireClusterLeases(db, [name], { holder: 'new', node: '', now: 101, until: 111, endedHolder }),
      )
    expect((await takeOver('somebody else')).size).toBe(0)
    expect((await takeOver('holder 0')).get(name)).toMatchObject({ holder: 'new', fence: 2, since: 101 })
    const foreignNames = await writeAsSystem(testContext(getDatabase(0)), (db) =>
      listForeignLeases(db, [name, 'unknown'], { holder: 'holder 0', now: 105 }),
    )
    expect([...foreignNames]).toEqual([name])
  })

  it('let a recorded job run once per interval, and at once if its last run was interrupted', async () => {
    const lease = createName()
    await acquire(0, [lease], 0, 100_000)
    const claim = (now: number, holder = 'holder 0') =>
      writeAsSystem(testContext(getDatabase(0)), (db) =>
        claimScheduledRun(db, { name: lease, lease, holder, now, intervalMs: 1000 }),
      )
    expect(await claim(10, 'holder 1')).toBeGreaterThan(0)
    expect(await claim(10)).toBe(0)
    expect(await claim(20)).toBe(0)
    await writeAsSystem(testContext(getDatabase(0)), (db) => endScheduledRun(db, lease, 20, 30))
    expect([await claim(40), await claim(1019)]).toEqual([980, 1])
    const claims = await Promise.all(Array.from({ length: 6 }, () => claim(1020)))
    expect(claims).toContain(0)
    await writeAsSystem(testContext(getDatabase(0)), (db) => endScheduledRun(db, lease, 1020, 1030))
    // The clock of the database was set back.
    expect(await claim(500)).toBe(0)
  })
})
