/** Two nodes on one PostgreSQL: scheduled jobs run once, and jobs are not claimed twice, although the clocks of the machines differ. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { openClusterClock } from '#server/db/cluster/cluster-clock.ts'
import { tryInsertJob } from '#server/db/jobs.ts'
import { acquireClusterLeases } from '#server/db/cluster/leases.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { holdJobLeases, jobLeaseTimesMs, toLeaseName } from '#server/jobs/job-leases.ts'
import { createMailJobKinds } from '#server/jobs/job-registry.ts'
import { runSchedule } from '#server/jobs/run-schedule.ts'
import { runJobs, runJobsWhile } from '#server/jobs/runner.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { mailCheckpoints, weekMs } from '#server/use-cases/audit/mail-checkpoints.ts'
import { listLogAlarms, raiseLogAlarm, shareLogAlarms, clearLogAlarm } from '#server/use-cases/audit/log-alarms.ts'
import { ChangedLogError } from '#server/use-cases/audit/check-signed-edge.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { silent, testContext } from '#tests/support/server/database.ts'
import { describeNodes, openTestNodes, type TestNodes } from '#tests/support/server/nodes.ts'
import { addAdmin, addCompany, addUser } from '#tests/support/server/people.ts'

const minuteMs = 60_000

describeNodes('two nodes', () => {
  let nodes: TestNodes
  let stopFunctions: (() => Promise<void>)[] = []
  beforeEach(async () => {
    nodes = await openTestNodes(2)
  })
  afterEach(async () => {
    await Promise.all(stopFunctions.map((stop) => stop()))
    stopFunctions = []
    await nodes.close()
  })
  const start = (stop: () => Promise<void>) => {
    stopFunctions.push(stop)
    return async () => {
      stopFunctions = stopFunctions.filter((other) => other !== stop)
      await stop()
    }
  }
  const createApp = (index: number, clock: () => number = Date.now): AppContext =>
    testContext(nodes.databases[index]!, clock)

  it('send each of 80 mails once, with machine clocks that are 120 seconds apart', async () => {
    const apps = await Promise.all(
      [0, 1].map(async (index) => {
        const clocks = { machine: () => Date.now() + index * 120_000, monotonic: () => performance.now() }
        const clusterClock = await openClusterClock(nodes.databases[index]!, silent, clocks)
        start(async () => clusterClock.close())
        return createApp(index, clusterClock.now)
      }),
    )
    const { userId, companyId } = await addAdmin(apps[0]!, 'acme')
    const now = apps[0]!.clock()
    await writeAsSystem(apps[0]!, async (db) => {
      for (let index = 0; index < 80; index++) {
        const id = `mail-${index}`
        const owner = { companyId, userId: 0, intent: id, progressKey: '' }
        const input = { mail: 'password-changed', userId, id }
        await tryInsertJob(db, { ...owner, id, kind: 'send-mail', input, now, deadline: now + minuteMs })
      }
    })
    const sentIds: string[] = []
    const driver = {
      async send({ id }: { id: string }) {
        // Long enough that the other node looks for jobs while this one sends.
        await wait(15)
        sentIds.push(id)
      },
    }
    const kinds = createMailJobKinds(driver as never)
    // A node that must not claim these jobs, for example because another one runs the hosted services, leaves them to the others.
    const forbiddenKinds = createMailJobKinds({ send: async () => void sentIds.push('forbidden') } as never)
    start(runJobsWhile(apps[0]!, () => false, forbiddenKinds))
    for (const app of apps) start(runJobs(app, kinds))
    await expect.poll(() => new Set(sentIds).size, { timeout: 30_000 }).toBe(80)
    const countJobs = () => writeAsSystem(apps[0]!, (db) => db.selectFrom('job').select('id').execute())
    await expect.poll(async () => (await countJobs()).length, { timeout: 30_000 }).toBe(0)
    expect(sentIds).toHaveLength(80)
  })

  it('run a job of the cluster on one of them, and on the other one after that stops', async () => {
    const startedAt = performance.now()
    let shiftMs = 0
    const clock = () => 1_800_000_000_000 + shiftMs + Math.floor(performance.now() - startedAt)
    const runs = { often: [0, 0], recorded: [0, 0], node: [0, 0] }
    const createJobs = (index: number): ScheduledJob[] => {
      const count = (name: keyof typeof runs) => async () => void (runs[name][index]! += 1)
      const job = { firstMs: 5, runs: 'cluster' as const }
      return [
        { ...job, name: 'often', everyMs: 20, run: count('often') },
        { ...job, name: 'recorded', everyMs: 5000, run: count('recorded') },
        { ...job, name: 'node', everyMs: 20, runs: 'node', run: count('node') },
      ]
    }
    const stops = [0, 1].map((index) => start(runSchedule(createApp(index, clock), createJobs(index))))
    await expect.poll(() => Math.max(...runs.often)).toBeGreaterThan(10)
    await expect.poll(() => Math.min(...runs.node)).toBeGreaterThan(10)
    const first = runs.often[0]! > 0 ? 0 : 1
    const second = 1 - first
    expect(runs.often[second]).toBe(0)
    await expect.poll(() => runs.recorded.toSorted()).toEqual([0, 1])
    // The last run was 4 seconds ago when the second node takes over, so it waits for the rest of the interval.
    shiftMs += 4000
    await stops[first]!()
    const runsBefore = runs.often[first]
    await expect.poll(() => runs.often[second]).toBeGreaterThan(10)
    await expect.poll(() => runs.recorded).toEqual([1, 1])
    expect(clock() - 1_800_000_000_000).toBeGreaterThanOrEqual(4500)
    expect(runs.often[first]).toBe(runsBefore)
  })

  it('replace a node that was killed when its lease expires, and repeat its interrupted run', async () => {
    let now = 1_800_000_000_000
    const [dead, app] = [createApp(0, () => now), createApp(1, () => now)]
    const until = now + jobLeaseTimesMs.lease
    await writeAsSystem(dead, async (db) => {
      await acquireClusterLeases(db, [toLeaseName('work')], { holder: 'killed', node: 'killed', now, until })
      await db.insertInto('scheduled_run').values({ name: 'work', started_at: now, ended_at: null }).execute()
    })
    const acquiredJobs: string[] = []
    const leases = holdJobLeases(app, ['work', 'other'], (names) => acquiredJobs.push(...names))
    await leases.renew()
    expect([acquiredJobs, leases.isHeld('work')]).toEqual([['other'], false])
    now = until
    await leases.renew()
    expect([acquiredJobs.slice(1), leases.isHeld('work')]).toEqual([['work', 'other'], true])
    // If it cannot renew the lease, it stops before another node may take over.
    now += jobLeaseTimesMs.lease - jobLeaseTimesMs.margin
    expect(leases.isHeld('work')).toBe(false)
    await leases.release()
    const run = vi.fn(async () => undefined)
    start(runSchedule(app, [{ name: 'work', firstMs: 5, everyMs: 24 * 60 * minuteMs, runs: 'cluster', run }]))
    await expect.poll(() => run.mock.calls.length).toBe(1)
  })

  it('mail a checkpoint once, even if both run the job at the same time', async () => {
    let now = Date.now()
    const apps = [0, 1, 0, 1].map((index) => createApp(index, () => now))
    const companies = await Promise.all(
      ['acme', 'globex', 'initech'].map(async (code) => {
        const companyId = await addCompany(apps[0]!, code)
        await addUser(apps[0]!, companyId, { email: `admin@${code}.example`, admin: true, alert: true })
        return companyId
      }),
    )
    for (const companyId of companies) await writeGeneratedEntries(apps[0]!, { companyId, count: 3, startAt: now })
    await integrate(apps[0]!)
    now += weekMs + 1
    const counts = await Promise.all(apps.map((app) => mailCheckpoints(app)))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3)
    const jobs = await writeAsSystem(apps[0]!, (db) => db.selectFrom('job').select('company_id').execute())
    expect(jobs.map(({ company_id }) => company_id).toSorted()).toEqual(companies.toSorted())
  })

  it('show an alarm of the audit trail that one of them has found, until a check finds no fault', async () => {
    const apps = [createApp(0), createApp(1)] as const
    for (const app of apps) start(shareLogAlarms(app))
    const error = new ChangedLogError('LOG_SHRANK', 'the log no longer exists', { from: 0, to: 1 })
    // Messages are lost until the listener is connected.
    let isConnected = false
    nodes.databases[1]!.listen('test', () => (isConnected = true))
    await expect
      .poll(async () => {
        await nodes.databases[0]!.announce('test', '')
        return isConnected
      })
      .toBe(true)
    raiseLogAlarm(apps[0], 7, error)
    await expect.poll(() => [...listLogAlarms(apps[1])]).toEqual([[7, { fault: 'LOG_SHRANK', from: 0, to: 1 }]])
    clearLogAlarm(apps[0], 7)
    await expect.poll(() => listLogAlarms(apps[1]).size).toBe(0)
    expect(listLogAlarms(apps[0]).size).toBe(0)
  })
})
