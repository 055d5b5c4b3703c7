/**
 * Runs three nodes on a replicated PostgreSQL behind a balancer, with mixed load, while nodes are killed, the database restarts, crashes,
 * fails over and disappears, and the nodes are upgraded and rolled back one by one. The clocks of the nodes differ by 120 seconds. Nothing
 * that was acknowledged may be lost, and nothing may take effect twice.
 *
 * npm run campaign -- cluster [minutes] [seed]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { createLoadReport, type LoadReport } from '#tests/campaigns/cluster/caller.ts'
import { checkDatabase, checkMails } from '#tests/campaigns/cluster/checks.ts'
import { createLoadRecord, runLoad } from '#tests/campaigns/cluster/load.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '#tests/campaigns/cluster/replicated-postgres.ts'
import { getBuildNumber } from '#contract/client-build.ts'
import { buildClient, readBuild } from '#tests/support/browser/releases.ts'
import { openBalancer } from '#tests/support/nodes/balancer.ts'
import { type PortalNode, startNode, toFilesEnv } from '#tests/support/nodes/portal-nodes.ts'
import { createRandom, drawBetween, type Random } from '#tests/support/runner/random.ts'
import { startS3 } from '#tests/support/hosting/s3/server.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { postgresBin } from '#tests/support/server/postgres.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { startSmtp } from '#tests/support/server/smtp.ts'

/** Clocks of the three nodes, in ms from the machine's. */
const clockShifts = [0, 60_000, -60_000]
const maxReadyMs = 10_000
const restMs = 15_000

interface ClusterNode {
  port: number
  healthPort: number
  env: Record<string, string>
  running: PortalNode | null
}

export async function run([minutes = '20', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`cluster: ${minutes} minutes, seed ${seed}`)
  const bin = postgresBin()
  if (bin === null) throw new Error('PostgreSQL is not installed')
  const folder = await mkdtemp(join(tmpdir(), 'portal-cluster-'))
  const [postgres, s3, smtp, balancer] = await Promise.all([
    startReplicatedPostgres(bin),
    startS3(),
    startSmtp(),
    openBalancer(),
  ])
  const builds = await buildReleases(folder)
  const common = {
    DATABASE_URL: postgres.url,
    MIGRATE_DATABASE_URL: postgres.url,
    PUBLIC_URL: balancer.url,
    DEMO: '1',
    PAYMENT_SANDBOX: '0',
    PAYMENTS_PER_USER: '100000',
    SMTP_URL: smtp.url,
    TOKEN_KEY: '42'.repeat(32),
    ...toFilesEnv(s3),
    DRAIN_SECONDS: '2',
    ACCESS_SECONDS: '300',
  }
  const nodes: ClusterNode[] = []
  for (const [index, shift] of clockShifts.entries()) {
    const healthPort = await findFreePort()
    nodes.push({
      port: await findFreePort(),
      healthPort,
      running: null,
      env: {
        ...common,
        DATA_DIR: join(folder, `node-${index}`),
        HEALTH_PORT: String(healthPort),
        CLIENT_DIR: builds.current,
        CLOCK_SHIFT_MS: String(shift),
        NODE_OPTIONS: `--import ${join(import.meta.dirname, '../support/server/shifted-clock.mjs')}`,
      },
    })
  }
  const report = createLoadReport()
  const record = createLoadRecord()
  const controller = new AbortController()
  try {
    for (const node of nodes) await startClusterNode(node, report)
    balancer.followHealth(nodes)
    await wait(1000)
    const limits = removeInvitationLimits(postgres, controller.signal)
    const load = runLoad({ url: balancer.url, report, record, signal: controller.signal })
    const random = createRandom(Number(seed))
    const end = performance.now() + Number(minutes) * 60_000
    await disturb({ nodes, postgres, builds, random, report, end })
    controller.abort()
    await Promise.all([load, limits])
    // The last mails and audit entries.
    await wait(20_000)
    const log = pino({ level: 'silent' })
    const databaseState = await checkDatabase(common, record, log)
    const mailState = checkMails(smtp.receivedMails)
    report.faults.push(...databaseState.faults, ...mailState.faults, ...(await verifyAuditTrail(nodes[0]?.env ?? {})))
    printReport(report, [...databaseState.lines, ...mailState.lines])
  } finally {
    controller.abort()
    await Promise.all(nodes.flatMap(({ running }) => (running ? [running.process.kill('SIGKILL')] : [])))
    await Promise.all([postgres.stop(), s3.close(), smtp.close(), balancer.close()])
    await rm(folder, { recursive: true, force: true })
  }
  process.exitCode = report.faults.length === 0 ? 0 : 1
}

async function startClusterNode(node: ClusterNode, report: LoadReport): Promise<void> {
  const startedAt = performance.now()
  node.running = await startNode(node.env, node.port)
  while (!(await isReady(node.healthPort))) await wait(50)
  const ms = Math.round(performance.now() - startedAt)
  if (ms > maxReadyMs) report.faults.push(`a node was ready only after ${ms} ms`)
}

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )

/** The campaign creates more users than a company may invite in an hour. */
async function removeInvitationLimits(postgres: ReplicatedPostgres, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The primary may be down in this moment.
    await postgres.run(["delete from attempt where subject like 'invitations of %'"]).catch(() => undefined)
    await wait(5000)
  }
}

interface Builds {
  current: string
  next: string
}

/** Builds the client a second time, with a later number, so that its files have other names. */
async function buildReleases(folder: string): Promise<Builds> {
  const builds = { current: join(import.meta.dirname, '../../dist'), next: join(folder, 'next-build') }
  await buildClient(builds.next, getBuildNumber(await readBuild(builds.current)) + 1)
  return builds
}

interface DisturbedCluster {
  nodes: ClusterNode[]
  postgres: ReplicatedPostgres
  builds: Builds
  random: Random
  report: LoadReport
  /** Time of `performance.now()` at which no further disturbance begins. */
  end: number
}

type Disturbance = (cluster: DisturbedCluster) => Promise<void>

const disturbances: Record<string, Disturbance> = {
  async 'kill -9 of a node'({ nodes, random, report }) {
    const node = nodes[drawBetween(random, 0, nodes.length - 1)]
    if (!node) return
    await node.running?.process.kill('SIGKILL')
    await wait(drawBetween(random, 0, 5000))
    await startClusterNode(node, report)
  },
  'restart of the database': ({ postgres }) => postgres.restart(),
  'crash of the database': ({ postgres }) => postgres.crash(),
  'failover to the replica': ({ postgres }) => postgres.failOver(),
  'the host of the database disappears': ({ postgres }) => postgres.disappear(20_000),
  'rolling upgrade': ({ nodes, builds, report }) => replaceNodes(nodes, builds.next, report),
  'rolling way back': ({ nodes, builds, report }) => replaceNodes(nodes, builds.current, report),
}

/** Runs all disturbances in turn until the time is over, with a rest after each, in which every node must be ready again. */
async function disturb(cluster: DisturbedCluster): Promise<void> {
  const names = Object.keys(disturbances)
  for (let index = 0; performance.now() < cluster.end; index++) {
    const name = names[index % names.length] ?? ''
    const startedAt = performance.now()
    await disturbances[name]?.(cluster)
    const endedAt = performance.now()
    while (!(await areAllReady(cluster.nodes)) && performance.now() - endedAt < 60_000) await wait(100)
    const readyMs = Math.round(performance.now() - endedAt)
    if (readyMs > maxReadyMs) cluster.report.faults.push(`after ${name} all nodes were ready only after ${readyMs} ms`)
    console.log(
      `  ${name}: ${((endedAt - startedAt) / 1000).toFixed(1)} s, all nodes ready ${readyMs} ms later, ${cluster.report.faults.length} faults`,
    )
    await wait(restMs)
  }
}

const areAllReady = async (nodes: ClusterNode[]) =>
  (await Promise.all(nodes.map(({ healthPort }) => isReady(healthPort)))).every(Boolean)

/** Stops and starts the nodes one by one with another build. */
async function replaceNodes(nodes: ClusterNode[], clientDir: string, report: LoadReport): Promise<void> {
  for (const node of nodes) {
    const code = await node.running?.process.kill('SIGTERM')
    if (code !== 0) report.faults.push(`a node ended with ${code}: ${node.running?.process.output().slice(-500)}`)
    node.env = { ...node.env, CLIENT_DIR: clientDir }
    await startClusterNode(node, report)
    await wait(2000)
  }
}

async function verifyAuditTrail(env: Record<string, string>): Promise<string[]> {
  const check = startProcess(env, 'server/cli/verify-audit-trail.ts')
  const code = await check.exitCode
  console.log(`  ${check.output().trim()}`)
  return code === 0 ? [] : [`the audit trail is not intact: ${check.output().trim()}`]
}

function printReport({ counts, missedCounts, longestMs, faults }: LoadReport, lines: string[]): void {
  const format = (map: Map<string, number>) => [...map].map(([name, count]) => `${name} ${count}`).join(', ')
  console.log(`  answered: ${format(counts)}`)
  console.log(`  attempts without a final answer: ${format(missedCounts)}`)
  console.log(`  longest time to an answer: ${(longestMs / 1000).toFixed(1)} s`)
  for (const line of lines) console.log(`  ${line}`)
  for (const [fault, count] of countEqual(faults)) console.log(`  FAULT (${count}): ${fault}`)
  console.log(`  ${faults.length} faults`)
}

const countEqual = (faults: string[]) =>
  [...Map.groupBy(faults, (fault) => fault)].map(([fault, all]) => [fault, all.length] as const)
