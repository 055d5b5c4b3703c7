/** Tests which nodes may run together on one database. */
import { hostname } from 'node:os'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ClusterMember, joinCluster, type JoinOptions } from '#server/composition/join-cluster.ts'
import { StartProblem } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import { createLogger } from '#server/context/log.ts'
import { type ClusterSettings, listRunningNodes, readClusterFact } from '#server/db/cluster/nodes.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import { eachEngine, openTestDatabase, testContext } from '#tests/support/server/database.ts'
import { createLineSink } from '#tests/support/server/server.ts'

const settings: ClusterSettings = {
  TIME_ZONE: 'Asia/Hong_Kong',
  AUDIT_KEY: 'fingerprint 0123456789abcdef',
  AUDIT_KEY_NEXT: 'not set',
}
const otherTimeZone = { ...settings, TIME_ZONE: 'Europe/Berlin' }
/** So long that no renewal happens during a test. */
const neverMs = 3_600_000

eachEngine('nodes on one database', (engine) => {
  let app: AppContext
  const members: ClusterMember[] = []
  const lines: string[] = []

  beforeAll(async () => {
    app = { ...testContext(await openTestDatabase(engine)), log: createLogger('info', createLineSink(lines)) }
  })
  afterEach(async () => {
    await Promise.all(members.splice(0).map((member) => member.leave()))
    await writeAsSystem(app, async (db) => {
      await db.deleteFrom('node').execute()
      await db.deleteFrom('fact').execute()
    })
    lines.splice(0)
  })
  afterAll(() => app.database.close())

  /** Joins with a clock that differs from the first node's by `offsetMs`. */
  async function join(nodeSettings: ClusterSettings, options: Partial<JoinOptions> = {}, offsetMs = 0) {
    const context = { ...app, clock: () => Date.now() + offsetMs }
    const member = await joinCluster(context, {
      role: 'serve',
      build: '1-test',
      settings: nodeSettings,
      onDifference: () => undefined,
      everyMs: neverMs,
      ...options,
    })
    members.push(member)
    return member
  }
  const listNodes = () => readAsSystem(app, (db) => listRunningNodes(db, app.clock()))
  const readLog = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)

  if (engine === 'embedded') {
    test('one node joins with any settings, because it is the only process', async () => {
      const first = await join(settings)
      const second = await join(otherTimeZone)
      expect(second.runId).not.toBe(first.runId)
      expect([await listNodes(), readLog()]).toEqual([[], []])
    })
    return
  }

  test('join with equal settings, and are removed when they stop', async () => {
    const first = await join(settings)
    const second = await join(settings, { role: 'worker' })
    expect(second.runId).toBe(first.runId)
    expect(await listNodes()).toMatchObject([
      { host_name: hostname(), role: 'serve', build: '1-test' },
      { host_name: hostname(), role: 'worker', build: '1-test' },
    ])
    await first.leave()
    expect(await listNodes()).toMatchObject([{ role: 'worker' }])
    await second.leave()
    expect(await listNodes()).toEqual([])
    expect((await join(settings)).runId).not.toBe(first.runId)
    expect(readLog()).toEqual([])
  })

  test('do not start with another value, which is named and shown unless it is secret', async () => {
    await join(settings)
    await join(settings)
    const nodeSettings = {
      ...otherTimeZone,
      AUDIT_KEY: 'fingerprint fedcba9876543210',
      AUDIT_KEY_NEXT: 'fingerprint 77',
    }
    const problem = await join(nodeSettings).catch((error: unknown) => error)
    expect(problem).toBeInstanceOf(StartProblem)
    expect((problem as StartProblem).message).toBe(
      `TIME_ZONE (here "Europe/Berlin", there "Asia/Hong_Kong"), AUDIT_KEY, AUDIT_KEY_NEXT must be the same on all nodes, but 2 other nodes run with another value (${hostname()}): make them equal, or stop those nodes first. A node that was killed counts as running for 40 seconds.`,
    )
    expect(await listNodes()).toHaveLength(2)
  })

  test('that start at the same time with different settings: only those of one remain', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => join(index % 2 === 0 ? settings : otherTimeZone)),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StartProblem)
    expect(new Set(members.map(({ runId }) => runId)).size).toBe(1)
    expect(await listNodes()).toHaveLength(4)
  })

  test('take over with other settings if no node runs, and log their names without values', async () => {
    await (await join(settings)).leave()
    await join({ ...otherTimeZone, AUDIT_KEY: 'fingerprint fedcba9876543210' })
    expect(readLog()).toMatchObject([{ event: 'settings_changed', level: 30, settings: ['TIME_ZONE', 'AUDIT_KEY'] }])
    expect(lines.join()).not.toMatch(/fingerprint|Berlin|Hong_Kong/)
    await expect(join(settings)).rejects.toThrow(StartProblem)
  })

  test('of another version compare only the settings that both know', async () => {
    await join({ TIME_ZONE: 'Asia/Hong_Kong' })
    await join({ ...settings, COLOUR: 'red' })
    await join({ TIME_ZONE: 'Asia/Hong_Kong' })
    await expect(join({ COLOUR: 'blue' })).rejects.toThrow(/^COLOUR \(here "blue", there "red"\)/)
    expect((await readAsSystem(app, readClusterFact))?.settings).toEqual({ ...settings, COLOUR: 'red' })
  })

  test('that were killed count as running for 40 seconds', async () => {
    await join(settings)
    await expect(join(otherTimeZone, {}, 35_000)).rejects.toThrow(StartProblem)
    await join(otherTimeZone, {}, 41_000)
    expect(readLog()).toMatchObject([{ event: 'settings_changed' }])
  })

  test('renew their row while they run', async () => {
    await join(settings, { everyMs: 10 })
    const [firstRow] = await listNodes()
    await expect.poll(async () => (await listNodes())[0]?.seen_at).toBeGreaterThan(firstRow?.seen_at ?? Infinity)
  })

  test('that were suspended stop if nodes with other settings have started meanwhile', async () => {
    let clockOffset = -60_000
    const stopped = Promise.withResolvers<void>()
    const context = { ...app, clock: () => Date.now() + clockOffset }
    const options = { role: 'serve', build: '1-test', settings, onDifference: stopped.resolve, everyMs: 10 } as const
    // The clock of the first node runs behind, so that the second one regards it as killed.
    members.push(await joinCluster(context, options))
    await join(otherTimeZone)
    clockOffset = 0
    await stopped.promise
    await expect.poll(() => readLog().map(({ event }) => event)).toContain('node_settings_differ')
    expect(await listNodes()).toHaveLength(1)
  })

  test('that were suspended join again if the settings are the same', async () => {
    let clockOffset = -60_000
    const isStopped = { value: false }
    const onDifference = () => {
      isStopped.value = true
    }
    const context = { ...app, clock: () => Date.now() + clockOffset }
    members.push(await joinCluster(context, { role: 'worker', build: '1-test', settings, onDifference, everyMs: 10 }))
    await join(settings)
    clockOffset = 0
    await expect.poll(async () => (await listNodes()).map(({ role }) => role).toSorted()).toEqual(['serve', 'worker'])
    expect(isStopped.value).toBe(false)
  })

  test('report that a renewal fails, and renew later', async () => {
    let failureCount = 0
    const failingDatabase = {
      ...app.database,
      get kysely() {
        if (failureCount++ < 2) throw new Error('connection refused')
        return app.database.kysely
      },
    }
    const member = await join(settings)
    await member.leave()
    failureCount = 2
    const context = { ...app, database: failingDatabase }
    members.push(
      await joinCluster(context, {
        role: 'serve',
        build: '1-test',
        settings,
        onDifference: () => undefined,
        everyMs: 10,
      }),
    )
    failureCount = 0
    await writeAsSystem(app, (db) => db.updateTable('node').set({ seen_at: 1 }).execute())
    await expect.poll(listNodes).toHaveLength(1)
    expect(readLog().map(({ event }) => event)).toContain('node_renewal_failed')
  })
})
