/**
 * Whether the time of an answer tells who is there (S-32): the same call for accounts that are there and for some that are
 * not, one after the other on one server in this process, the slowest median against the quickest. With cheap hashes, so that
 * what differs beside them shows. What is counted against guesses is forgotten in between, or that would answer instead.
 */
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { clientCredential } from '#contract/accounts.ts'
import { buildApp } from '#server/composition/app.ts'
import { readConfig } from '#server/config/config.ts'
import { startEngine } from '#server/db/embedded/engine.ts'
import { overEngine } from '#server/db/embedded/open.ts'
import { migrate } from '#server/db/migrate.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { noBackups } from '#server/context/backup-places.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/driver.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPayments } from '#server/context/payment-methods.ts'
import { loadWorld } from '#tests/support/server/world.ts'
import { type Bench, type Figure, median } from './figures.ts'

const rounds = 500
const wrong = 'Not-the-one-44'
const authorization = `Basic ${Buffer.from(clientCredential).toString('base64')}`

interface Way {
  what: string
  url: string
  form: (code: string, email: string) => Record<string, string>
  status: number
}

const ways: readonly Way[] = [
  {
    what: 'sign-in',
    url: '/api/m18s/token',
    form: (code, email) => ({ grant_type: 'password', username: `${code}:${email}`, password: wrong }),
    status: 401,
  },
  {
    what: 'activation mail again',
    url: '/public/users/activatemail',
    form: (code, email) => ({ username: `${code}:${email}`, password: wrong }),
    status: 401,
  },
  {
    what: 'forgotten password',
    url: '/public/password/resetmail',
    form: (companyCode, userEmail) => ({ companyCode, userEmail }),
    status: 204,
  },
]

/** All that must look alike: as they stand in the tests' world. */
const whom: Record<string, [code: string, email: string]> = {
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
  const database = overEngine(
    engine,
    () => true,
    async () => undefined,
  )
  await migrate(database.kysely)
  const hashes = { ARGON2_MEMORY_KB: '4096', ARGON2_TIME: '1' }
  const config = readConfig({ TOKEN_KEY: '11'.repeat(32), LOG_LEVEL: 'silent', DEMO: '0', PORT: '0', ...hashes })
  const none = { payments: noPayments, hosting: noHosting, backups: noBackups, checkpointStore: noCheckpointStore }
  return { config, database, log, clock: Date.now, ...none }
}

async function measure(tell: (line: string) => void): Promise<Figure[]> {
  const app = await openInstallation()
  const fastify = buildApp(app, { anonymousPerMinute: 1_000_000, queriesPerMinute: 1_000_000 })
  await fastify.ready()
  await loadWorld(app)
  const ratios: { way: string; value: number }[] = []
  for (const way of ways) ratios.push({ way: way.what, value: await ratioOf(fastify, app, way, tell) })
  await fastify.close()
  await app.database.close()
  const [worst] = ratios.toSorted((a, b) => b.value - a.value)
  return [
    {
      id: 'S32',
      what: 'time of an answer, slowest kind of account vs quickest',
      value: worst?.value ?? null,
      unit: 'x',
      better: 'less',
      limit: 1.07,
      note: worst?.way ?? '',
    },
  ]
}

async function ratioOf(
  fastify: FastifyInstance,
  app: AppContext,
  way: Way,
  tell: (line: string) => void,
): Promise<number> {
  const times = new Map(Object.keys(whom).map((name) => [name, [] as number[]]))
  const names = Object.keys(whom)
  // The first ones warm up; each round begins with another kind, so that none is always the one after the sweep.
  for (let round = -20; round < rounds; round++)
    for (const [at] of names.entries()) {
      const name = names[(at + Math.max(round, 0)) % names.length] ?? ''
      const [code, email] = whom[name] ?? ['', '']
      await forget(app)
      const ms = await timed(fastify, way, way.form(code, email))
      if (round >= 0) times.get(name)?.push(ms)
    }
  const medians = [...times].map(([name, all]) => ({ name, ms: median(all) })).toSorted((a, b) => a.ms - b.ms)
  tell(`${way.what}: ${medians.map(({ name, ms }) => `${name} ${ms.toFixed(2)}`).join(', ')} ms`)
  const [quickest, slowest] = [medians[0], medians.at(-1)]
  return quickest && slowest ? slowest.ms / quickest.ms : Number.NaN
}

async function timed(fastify: FastifyInstance, { url, status, what }: Way, form: Record<string, string>) {
  const began = performance.now()
  const answer = await fastify.inject({
    method: 'POST',
    url,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  })
  const ms = performance.now() - began
  if (answer.statusCode !== status) throw new Error(`${what} answered ${answer.statusCode} ${answer.body}`)
  return ms
}

/** Guesses, mails and the jobs that would send them. */
const forget = (app: AppContext) =>
  inTransaction(app, { role: 'portal_system' }, async (db) => {
    await db.deleteFrom('attempt').execute()
    await db.deleteFrom('job').execute()
  })

export const guesses: Bench = { ids: ['S32'], measure }
