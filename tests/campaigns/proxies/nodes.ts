/** Starts two portals on one PostgreSQL, with an audit trail of which one entry cannot be read. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AppContext } from '#server/context/context.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { nodeHosts } from '#tests/campaigns/proxies/proxy-programs.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'
import { loadWorld, type World } from '#tests/support/server/world.ts'

export interface PortalNode {
  host: string
  port: number
  kill(signal: NodeJS.Signals): Promise<number | null>
  /** Starts the node and waits until it is ready. */
  start(): Promise<void>
  output(): string
}

export interface Nodes {
  nodes: readonly [PortalNode, PortalNode]
  world: World
  /** Runs `work` on the database of the nodes. */
  withApp(work: (app: AppContext) => Promise<void>): Promise<void>
}

export interface NodesInput {
  folder: string
  databaseUrl: string
  publicUrl: string
  ports: readonly [number, number]
  healthPort: number
}

/** An export of the company's trail is cut off at this entry. */
const trail = { count: 4000, damagedNumber: 3000, startAt: Date.parse('2026-03-10T04:00:00Z') }
export const trailDay = '2026-03-10'

export async function prepareNodes({ folder, databaseUrl, publicUrl, ports, healthPort }: NodesInput): Promise<Nodes> {
  const commonEnv = {
    DATABASE_URL: databaseUrl,
    TOKEN_KEY: '11'.repeat(32),
    FILES_DIR: join(folder, 'files'),
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: '1',
    HEALTH_PORT: String(healthPort),
    DRAIN_SECONDS: '5',
    ...(process.env.CLIENT_DIR ? { CLIENT_DIR: process.env.CLIENT_DIR } : {}),
  }
  const withApp = (work: (app: AppContext) => Promise<void>) =>
    withContext({ ...commonEnv, DATA_DIR: join(folder, 'campaign') }, work)
  let world: World | null = null
  await withApp(async (app) => {
    world = await loadWorld(app)
    await fillTrail(app, world.companies.beta)
  })
  if (!world) throw new Error('the test data was not created')
  const [first, second] = nodeHosts.map((host, index) => {
    const port = ports[index] ?? 0
    const env = { ...commonEnv, DATA_DIR: join(folder, `node${index}`), HOST: host, PORT: String(port) }
    return createNode({ host, port, healthPort, env })
  })
  if (!first || !second) throw new Error('two hosts are needed')
  return { nodes: [first, second], world, withApp }
}

async function fillTrail(app: AppContext, companyId: number): Promise<void> {
  const { count, damagedNumber, startAt } = trail
  await writeGeneratedEntries(app, { companyId, count, startAt, intervalMs: 1000 })
  await integrate(app)
  // The superuser of the campaign is not subject to the policies and triggers of the table.
  await app.database.kysely.connection().execute(async (db) => {
    await sql`set session_replication_role = replica`.execute(db)
    await sql`update audit_entry set leaf = 'damaged' where (info ->> 'n')::integer = ${damagedNumber}`.execute(db)
    await sql`set session_replication_role = origin`.execute(db)
  })
}

function createNode({
  host,
  port,
  healthPort,
  env,
}: {
  host: string
  port: number
  healthPort: number
  env: Record<string, string> & { DATA_DIR: string }
}): PortalNode {
  let running: RunningProcess | null = null
  let output = ''
  return {
    host,
    port,
    output: () => output + (running?.output() ?? ''),
    async kill(signal) {
      const code = (await running?.kill(signal)) ?? null
      output += running?.output() ?? ''
      running = null
      return code
    },
    async start() {
      await mkdir(env.DATA_DIR, { recursive: true })
      running = startProcess(env)
      await running.ready
      for (;;) {
        const response = await fetch(`http://${host}:${healthPort}/health/ready`).catch(() => null)
        if (response?.status === 200) return
        await wait(100)
      }
    },
  }
}
