/**
 * Runs a portal in its own process on a copy of a prepared database, with gateways that keep running when it is killed. The clock of both
 * can be moved forward between two starts.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import type { Currency } from '#domain/money.ts'
import { toPlainDate } from '#domain/time.ts'
import { readConfig } from '#server/config/config.ts'
import type { Database } from '#server/db/database.ts'
import { openDatabase } from '#server/db/open.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { type DemoCompany, demoCompanies, demoPassword } from '#demo/sample-data/demo-data.ts'
import { loadCompanies, loadDemoData } from '#demo/sample-data/load-demo-data.ts'
import { openSandbox, type SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { buildGatewayEnv, startWithRetries } from '#tests/campaigns/payments.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'
import { quickHashes, type RunningProcess } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'

export const timeZone = 'Asia/Hong_Kong'
/** Each of 30 histories has up to three. */
const maxCompanies = 90

/** Returns the company code of a buyer: `h00`, `h01`, ... */
export const buildBuyerCode = (index: number): string => `h${String(index).padStart(2, '0')}`

export interface WorldTemplate {
  open<T>(work: (world: MoneyWorld) => Promise<T>, env?: Record<string, string>): Promise<T>
}

export interface MoneyWorld {
  url: string
  sandbox: SandboxServer
  /** Time of the portal and of the gateways, epoch ms. */
  clock(): number
  /** The business day. */
  today(): string
  /** The business day of the portal. On PostgreSQL it has the clock of the database, which is not moved. */
  portalDay(): string
  /** Resolves when a server responds. Rejects after `close` was called. */
  waitUntilUp(): Promise<void>
  start(): Promise<void>
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Returns and clears the errors that ended servers logged. */
  takeErrors(): string[]
  /** May be called only while no server runs. */
  moveClock(ms: number): void
  /** May be called only while no server runs. */
  inspect<T>(work: (database: Database) => Promise<T>): Promise<T>
}

/**
 * Prepares the database that each portal of a campaign copies. `clusterUrl` is the address of a PostgreSQL server, or null for the embedded
 * engine. `openWorld` opens a portal in its own process if it is left out.
 */
export async function prepareTemplate(
  folder: string,
  clusterUrl: string | null,
  openWorld: OpenWorld = openWorldWithKills,
): Promise<WorldTemplate> {
  const template = join(folder, 'template')
  const baseEnv = { DEMO: '1', TOKEN_KEY: '5a'.repeat(32), PAYMENTS_PER_USER: '1000000', ...quickHashes }
  const databaseUrl = (name: string): Record<string, string> =>
    clusterUrl === null ? {} : { DATABASE_URL: `${clusterUrl}/${name}` }
  if (clusterUrl === null) await createDataFolder(template)
  else await runAsSuperuser(clusterUrl, 'postgres', ['create database money_template'])
  await withContext({ ...baseEnv, ...databaseUrl('money_template'), DATA_DIR: template }, async (app) => {
    await loadDemoData(app)
    const hash = await hashPassword(demoPassword, app.config.argon2)
    const companies = Array.from({ length: maxCompanies }, (_, index) => buildBuyerCompany(buildBuyerCode(index)))
    await runInTransaction(app, { role: 'portal_system' }, async (db) => {
      const { id: listId } = await db.selectFrom('price_list').select('id').orderBy('id').executeTakeFirstOrThrow()
      await loadCompanies(db, app, { companies, hash, listId, now: app.clock() })
    })
  })
  // Generating the gateways' keys takes a second, so it is done once here.
  const gateways = join(folder, 'gateways')
  await (await openGateways(gateways, 'http://127.0.0.1:1', Date.now)).close()

  let worldCount = 0
  return {
    async open(work, env = {}) {
      worldCount += 1
      const dataDir = join(folder, `world-${worldCount}`)
      cpSync(template, dataDir, { recursive: true })
      cpSync(gateways, `${dataDir}-gateways`, { recursive: true })
      const name = `money_${worldCount}`
      if (clusterUrl !== null)
        await runAsSuperuser(clusterUrl, 'postgres', [`create database ${name} template money_template`])
      const { world, close } = await openWorld({ ...baseEnv, ...env, ...databaseUrl(name), DATA_DIR: dataDir })
      try {
        return await work(world)
      } finally {
        await close()
        if (clusterUrl !== null) await runAsSuperuser(clusterUrl, 'postgres', [`drop database ${name} with (force)`])
      }
    },
  }
}

function buildBuyerCompany(code: string): DemoCompany {
  const acme = demoCompanies.find((company) => company.code === 'acme')
  const [admin] = acme?.users ?? []
  if (!acme || !admin) throw new Error('the demo data has no company Acme')
  return { ...acme, code, services: [], orders: [], users: [{ ...admin, email: `admin@${code}.example` }] }
}

export const openGateways = (dataDir: string, portalUrl: string, clock: () => number): Promise<SandboxServer> =>
  openSandbox({ dataDir, portalUrl, log: pino({ level: 'silent' }), clock, port: 0, url: null })

type OpenWorld = (
  env: Record<string, string> & { DATA_DIR: string },
) => Promise<{ world: MoneyWorld; close: () => Promise<void> }>

const openWorldWithKills: OpenWorld = async (env) => {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  let shiftMs = 0
  const clock = () => Date.now() + shiftMs
  const sandbox = await openGateways(`${env.DATA_DIR}-gateways`, url, clock)
  const settings = { ...env, ...buildGatewayEnv(sandbox), PORT: String(port), PUBLIC_URL: url }
  const shiftedClock = `--import ${join(import.meta.dirname, '..', '..', 'support', 'server', 'shifted-clock.mjs')}`
  let server: RunningProcess | null = null
  let readiness = Promise.withResolvers<void>()
  let errors: string[] = []
  const world: MoneyWorld = {
    url,
    sandbox,
    clock,
    today: () => toPlainDate(timeZone, clock()),
    portalDay: () => toPlainDate(timeZone, env.DATABASE_URL === undefined ? clock() : Date.now()),
    waitUntilUp: () => readiness.promise,
    async start() {
      server = await startWithRetries({ ...settings, NODE_OPTIONS: shiftedClock, CLOCK_SHIFT_MS: String(shiftMs) })
      readiness.resolve()
    },
    async stop(signal) {
      readiness = Promise.withResolvers<void>()
      const code = await server?.kill(signal)
      errors.push(...readErrors(server?.output() ?? ''))
      if (signal === 'SIGTERM' && code !== 0) throw new Error(`the server ended with ${code}: ${server?.output()}`)
      server = null
    },
    takeErrors() {
      const takenErrors = errors
      errors = []
      return takenErrors
    },
    moveClock(ms) {
      shiftMs += ms
    },
    async inspect(work) {
      const database = await openDatabase(readConfig(settings), pino({ level: 'silent' }))
      try {
        return await work(database)
      } finally {
        await database.close()
      }
    },
  }
  const close = async () => {
    readiness = Promise.withResolvers<void>()
    readiness.promise.catch(() => undefined)
    readiness.reject(new Error('the server was stopped'))
    await server?.kill('SIGKILL')
    await sandbox.close()
  }
  return { world, close }
}

/** pino's number for the error level. */
const errorLevel = 50

/** Returns the errors of a log, with the place that threw each. */
export function readErrors(output: string): string[] {
  return output.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    const { level = 0, msg = '', err } = JSON.parse(line) as LogLine
    const location = err?.stack?.match(/server\/[\w/-]+\.ts:\d+/)?.[0] ?? ''
    return level >= errorLevel ? [[msg, err?.message ?? '', location].join(' · ')] : []
  })
}

interface LogLine {
  level?: number
  msg?: string
  err?: { message?: string; stack?: string }
}

export interface LiveContract {
  company: string
  code: string
  currency: Currency
  /** Exclusive end of the contract. */
  end: string
}

/** Returns the buyers' contracts in force. */
export const readLiveContracts = ({ kysely }: Database, today: string): Promise<LiveContract[]> =>
  kysely
    .transaction()
    .execute((db) =>
      db
        .selectFrom('contract')
        .innerJoin('company', 'company.id', 'contract.company_id')
        .where('contract.overwritten', '=', false)
        .where('contract.period_end', '>', today)
        .where('company.code', 'like', 'h__')
        .select(['company.code as company', 'contract.service_code as code', 'contract.currency'])
        .select('contract.period_end as end')
        .orderBy('contract.id')
        .execute(),
    )
