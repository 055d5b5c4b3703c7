/**
 * Measures whether the response time reveals which accounts exist (S-32). Makes the same call for existing and unknown accounts, one after
 * another on one server in this process, and compares the slowest median with the fastest. Uses cheap hashes, so that other differences
 * become visible. Recorded attempts are deleted in between, because the rate limit would otherwise respond.
 */
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { clientCredential } from '#contract/accounts.ts'
import { buildApp } from '#server/composition/app.ts'
import { readConfig } from '#server/config/config.ts'
import { startEngine } from '#server/db/embedded/engine.ts'
import { createEngineDatabase } from '#server/db/embedded/open.ts'
import { migrate } from '#server/db/migrate.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPaymentMethods } from '#server/context/payment-methods.ts'
import { loadWorld } from '#tests/support/server/world.ts'
import { type Bench, type BenchFigure, median } from './figures.ts'
import { openTestFiles } from '#tests/support/server/files.ts'

const roundCount = 500
const wrongPassword = 'Not-the-one-44'
const authorization = `Basic ${Buffer.from(clientCredential).toString('base64')}`

interface AccountCall {
  title: string
  url: string
  form: (code: string, email: string) => Record<string, string>
  status: number
}

const accountCalls: readonly AccountCall[] = [
  {
    title: 'sign-in',
    url: '/api/m18s/token',
    form: (code, email) => ({ grant_type: 'password', username: `${code}:${email}`, password: wrongPassword }),
    status: 401,
  },
  {
    title: 'activation mail again',
    url: '/public/users/activatemail',
    form: (code, email) => ({ username: `${code}:${email}`, password: wrongPassword }),
    status: 401,
  },
  {
    title: 'forgotten password',
    url: '/public/password/resetmail',
    form: (companyCode, userEmail) => ({ companyCode, userEmail }),
    status: 204,
  },
]

/** Cases that must take the same time, with accounts of the test data. */
const accountsByKind: Record<string, [code: string, email: string]> = {
  'wrong password': ['alpha', 'user@alpha.example'],
  'never activated': ['alpha', 'invited@alpha.example'],
  'disabled user': ['alpha', 'disabled@alpha.example'],
  'deleted user': ['alpha', 'deleted@alpha.example'],
  'unknown user': ['alpha', 'nobody@alpha.example'],
  'unknown company': ['nowhere', 'user@nowhere.example'],
}

async function openInstallation(): Promise<AppContext> {
  const log = pino({ level: 'silent' })
  const engine = await startEngine({ dataDir: null, load: null }, log)
  const database = createEngineDatabase(
    engine,
    () => true,
    async () => undefined,
  )
  await migrate(database.kysely)
  const hashSettings = { ARGON2_MEMORY_KB: '4096', ARGON2_TIME: '1' }
  const config = readConfig({ TOKEN_KEY: '11'.repeat(32), LOG_LEVEL: 'silent', DEMO: '0', PORT: '0', ...hashSettings })
  const disabledDrivers = {
    payments: noPaymentMethods,
    hosting: noHosting,
    backups: noBackups,
    files: openTestFiles(config),
    checkpointStore: noCheckpointStore,
  }
  return { config, database, log, clock: Date.now, ...disabledDrivers }
}

async function measure(report: (line: string) => void): Promise<BenchFigure[]> {
  const app = await openInstallation()
  const fastify = buildApp(app, { anonymousPerMinute: 1_000_000, queriesPerMinute: 1_000_000 })
  await fastify.ready()
  await loadWorld(app)
  const ratios: { title: string; value: number }[] = []
  for (const call of accountCalls)
    ratios.push({ title: call.title, value: await measureRatio(fastify, app, call, report) })
  await fastify.close()
  await app.database.close()
  const [worstRatio] = ratios.toSorted((a, b) => b.value - a.value)
  return [
    {
      id: 'S32',
      title: 'response time, slowest kind of account vs fastest',
      value: worstRatio?.value ?? null,
      unit: 'x',
      better: 'less',
      limit: 1.07,
      note: worstRatio?.title ?? '',
    },
  ]
}

async function measureRatio(
  fastify: FastifyInstance,
  app: AppContext,
  call: AccountCall,
  report: (line: string) => void,
): Promise<number> {
  const times = new Map(Object.keys(accountsByKind).map((name) => [name, [] as number[]]))
  const names = Object.keys(accountsByKind)
  // The first rounds warm up. Each round begins with another case, so that no case always runs right after the cleanup.
  for (let round = -20; round < roundCount; round++)
    for (const [index] of names.entries()) {
      const name = names[(index + Math.max(round, 0)) % names.length] ?? ''
      const [code, email] = accountsByKind[name] ?? ['', '']
      await forgetAttempts(app)
      const ms = await measureCall(fastify, call, call.form(code, email))
      if (round >= 0) times.get(name)?.push(ms)
    }
  const medians = [...times].map(([name, all]) => ({ name, ms: median(all) })).toSorted((a, b) => a.ms - b.ms)
  report(`${call.title}: ${medians.map(({ name, ms }) => `${name} ${ms.toFixed(2)}`).join(', ')} ms`)
  const [quickest, slowest] = [medians[0], medians.at(-1)]
  return quickest && slowest ? slowest.ms / quickest.ms : Number.NaN
}

async function measureCall(
  fastify: FastifyInstance,
  { url, status, title }: AccountCall,
  form: Record<string, string>,
) {
  const startedAt = performance.now()
  const response = await fastify.inject({
    method: 'POST',
    url,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  })
  const ms = performance.now() - startedAt
  if (response.statusCode !== status) throw new Error(`${title} returned ${response.statusCode} ${response.body}`)
  return ms
}

/** Deletes attempts, mails and the jobs that would send them. */
const forgetAttempts = (app: AppContext) =>
  runInTransaction(app, { role: 'portal_system' }, async (db) => {
    await db.deleteFrom('attempt').execute()
    await db.deleteFrom('job').execute()
  })

export const signInTimingBench: Bench = { ids: ['S32'], measure }
