import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  type HostingLease,
  hostingLeaseName,
  hostingLeaseTimesMs,
  noHostingLease,
  openHostingLease,
} from '#server/composition/hosting-lease.ts'
import { StartProblem } from '#server/config/config.ts'
import { createLogger } from '#server/context/log.ts'
import { findClusterLease } from '#server/db/cluster/leases.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { readIdentity } from '#server/drivers/hosting/local/process-identity.ts'
import { testConfig, testContext } from '#tests/support/server/database.ts'
import { describeNodes, openTestNodes, type TestNodes } from '#tests/support/server/nodes.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { createLineSink } from '#tests/support/server/server.ts'

describeNodes('the lease of hosted services', () => {
  let nodes: TestNodes
  let folder: string
  let now = 1_800_000_000_000
  let leases: HostingLease[] = []
  const lines: string[] = []
  beforeEach(async () => {
    nodes = await openTestNodes(2)
    folder = await mkdtemp(join(tmpdir(), 'portal-hosting-'))
    lines.length = 0
  })
  afterEach(async () => {
    vi.useRealTimers()
    await Promise.all(leases.map((lease) => lease.close()))
    leases = []
    await nodes.close()
    await rm(folder, { recursive: true })
  })
  const getHostingDir = (host: string) => join(folder, host)
  const createApp = (index: number, host: string, hosting = 'local') => ({
    config: testConfig({ HOSTING: hosting, HOSTING_DIR: getHostingDir(host) }),
    database: nodes.databases[index]!,
    log: createLogger('info', createLineSink(lines)),
    clock: () => now,
  })
  const open = async (index: number, host: string, hosting?: string) => {
    const lease = await openHostingLease(createApp(index, host, hosting))
    leases.push(lease)
    return lease
  }
  const readLease = () =>
    writeAsSystem(testContext(nodes.databases[0]!), (db) => findClusterLease(db, hostingLeaseName))
  /** Gives the lease to another holder, as if it had started elsewhere. */
  const setHolder = (holder: string, until: number) =>
    nodes.databases[0]!.kysely.connection().execute((db) =>
      sql`update lease set holder = ${holder}, node = 'portal-9, process 5', until = ${until}`.execute(db),
    )
  const readHostId = async (host: string) => (await readFile(join(getHostingDir(host), 'host-id'), 'utf8')).trim()
  const listEvents = () => lines.map((line) => (JSON.parse(line) as { event: string }).event)

  it('lets one node start and refuses the next one with a sentence that says what to do', async () => {
    expect((await open(0, 'a')).isHeld()).toBe(true)
    now += 4000
    const refusal = await open(1, 'b').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(StartProblem)
    expect((refusal as Error).message).toMatch(
      /^Another node \(.+, process \d+, since 2027-01-15T08:00:00\.000Z\) runs the hosted services of this portal: set HOSTING=elsewhere here, or stop that node and wait 26 seconds\.$/,
    )
    expect(await open(1, 'b', 'elsewhere')).toBe(noHostingLease)
    expect(await open(1, 'b', 'off')).toBe(noHostingLease)
    now += hostingLeaseTimesMs.lease - 4000
    expect((await open(1, 'b')).isHeld()).toBe(true)
  })

  it('continues at once after a kill of the same node, but not while its process runs', async () => {
    await open(0, 'a')
    const hostId = await readHostId('a')
    const child = spawn('sleep', ['60'])
    const identity = readIdentity(child.pid ?? 0)
    await setHolder(`${hostId} ${identity?.pid} ${identity?.started}`, now + 20_000)
    await expect(open(1, 'a')).rejects.toThrow('portal-9, process 5')
    const exitPromise = once(child, 'exit')
    child.kill('SIGKILL')
    await exitPromise
    expect((await open(1, 'a')).isHeld()).toBe(true)
    expect(await readHostId('a')).toBe(hostId)
    expect((await readLease())?.holder).toContain(` ${process.pid} `)
  })

  it('refuses a copied folder while the node of the original may run on another machine', async () => {
    await open(0, 'a')
    await cp(getHostingDir('a'), getHostingDir('copy'), { recursive: true })
    await setHolder(`${await readHostId('copy')} 1 77 another-boot pid:[1]`, now + 20_000)
    await expect(open(1, 'copy')).rejects.toThrow('wait 20 seconds')
    now += 20_000
    expect((await open(1, 'copy')).isHeld()).toBe(true)
  })

  it('stops the work of a node that could not renew it in time, and continues when it is free again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const lease = await open(0, 'a')
    now += hostingLeaseTimesMs.lease
    expect(lease.isHeld()).toBe(false)
    await setHolder('another one', now + 20_000)
    vi.advanceTimersByTime(hostingLeaseTimesMs.renew)
    await vi.waitFor(() => expect(listEvents()).toEqual(['hosting_lease_lost']), { timeout: 10_000 })
    expect(lease.isHeld()).toBe(false)
    now += 20_000
    vi.advanceTimersByTime(hostingLeaseTimesMs.renew)
    await vi.waitFor(() => expect(listEvents()).toEqual(['hosting_lease_lost', 'hosting_lease_acquired']), {
      timeout: 10_000,
    })
    expect(lease.isHeld()).toBe(true)
  })

  it('refuses a damaged id of the host, and needs no lease on the embedded database', async () => {
    await open(0, 'a')
    await writeFile(join(getHostingDir('a'), 'host-id'), 'two words\n'.repeat(9))
    await expect(open(1, 'a')).rejects.toThrow('does not contain the id of this host: delete it')
    const app = createApp(0, 'none')
    const database = { ...app.database, engine: 'embedded' as const }
    expect(await openHostingLease({ ...app, database })).toBe(noHostingLease)
    await writeFile(getHostingDir('file'), '')
    await expect(open(1, 'file')).rejects.toThrow(/^Could not write to HOSTING_DIR \(.+\): /)
  })

  it('is taken by the server, whose times are those of the database, and refuses a second server', async () => {
    const shiftedClock = join(import.meta.dirname, '../../support/server/shifted-clock.mjs')
    const startNode = (name: string) =>
      startProcess({
        DATABASE_URL: nodes.url,
        DATA_DIR: join(folder, name),
        TOKEN_KEY: '11'.repeat(32),
        HOSTING: 'local',
        DEMO: '0',
        CLOCK_SHIFT_MS: '120000',
        NODE_OPTIONS: `--import=${shiftedClock}`,
      })
    const first = startNode('first')
    await first.ready
    const readDistances = async () =>
      (
        await sql<{ name: string; ms: number }>`select name, until - extract(epoch from clock_timestamp()) * 1000 as ms
          from lease where name in ('hosting', 'job expire-orders') order by name`.execute(nodes.databases[0]!.kysely)
      ).rows.map(({ name, ms }) => [name, Number(ms) < 31_000])
    await expect.poll(readDistances).toEqual([
      ['hosting', true],
      ['job expire-orders', true],
    ])
    expect(first.output()).toContain('"event":"clock_differs","differenceMs":1')
    const second = startNode('second')
    expect(await second.exitCode).toBe(1)
    expect(second.output()).toMatch(
      /^Another node \(.+\) runs the hosted services of this portal: set HOSTING=elsewhere here/m,
    )
    // After a kill the same node starts at once, although its lease has not expired.
    await first.kill('SIGKILL')
    const restarted = startNode('first')
    await restarted.ready
    expect(await restarted.kill('SIGTERM')).toBe(0)
  }, 60_000)
})
