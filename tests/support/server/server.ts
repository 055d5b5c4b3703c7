/**
 * Starts a real server in this process: Fastify with `inject`, a real embedded database, a manual clock. It does not listen, and nothing is
 * mocked.
 */
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { clientCredential } from '#contract/accounts.ts'
import { serveDevMail } from '#demo/mail/dev-mail.ts'
import { buildApp } from '#server/composition/app.ts'
import { createLogger } from '#server/context/log.ts'
import type { HttpSettings } from '#server/http/http-context.ts'
import type { AppContext } from '#server/context/context.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPaymentMethods } from '#server/context/payment-methods.ts'
import { type Engine, openTestDatabase, testConfig } from '#tests/support/server/database.ts'
import { emptyTables } from '#tests/support/server/snapshot.ts'
import { loadWorld, password, type World } from '#tests/support/server/world.ts'
import { openTestFiles } from '#tests/support/server/files.ts'
import { raisedLimits } from '#tests/support/network/raised-limits.ts'

export interface Clock {
  now: number
}

export type Send = (options: InjectOptions) => Promise<LightMyRequestResponse>

export interface SignedIn {
  accessToken: string
  refresh: string
  userId: number
  send: Send
}

export interface TestServer {
  fastify: FastifyInstance
  app: AppContext
  clock: Clock
  world: World
  readLog: () => string
  /** Sends without a session. */
  send: Send
  /** Signs in the user `role@company` of the test data. */
  signIn: (userName: string, givenPassword?: string) => Promise<SignedIn>
  /** Empties the database and creates new test data. */
  reset: () => Promise<World>
  close: () => Promise<void>
}

export interface ServerOptions {
  settings?: Partial<HttpSettings>
  env?: Record<string, string>
  engine?: Engine
  /** Replaces the folder of files. It is closed with the server. */
  files?: FileStore
}

export const basicAuthorization = `Basic ${Buffer.from(clientCredential).toString('base64')}`

export async function startServer({
  settings,
  env,
  engine = 'embedded',
  files,
}: ServerOptions = {}): Promise<TestServer> {
  const clock = { now: Date.parse('2026-03-02T02:00:00Z') }
  const lines: string[] = []
  const log = createLogger('info', createLineSink(lines))
  const database = await openTestDatabase(engine)
  const filesDir = join(tmpdir(), `portal-files-${randomUUID()}`)
  const config = testConfig({ FILES_DIR: filesDir, ...env })
  const app: AppContext = {
    config,
    database,
    log,
    clock: () => clock.now,
    payments: noPaymentMethods,
    hosting: noHosting,
    backups: noBackups,
    files: files ?? openTestFiles(config),
    checkpointStore: noCheckpointStore,
  }
  const devPages = app.config.demo ? { servePages: serveDevMail } : null
  const fastify = buildApp(app, { ...raisedLimits, ...settings }, devPages)
  await fastify.ready()
  const server: TestServer = {
    fastify,
    app,
    clock,
    world: await loadWorld(app),
    readLog: () => lines.join(''),
    send: (options) => fastify.inject(options),
    signIn: async (userName, givenPassword = password) => logIn(fastify, buildUsername(userName), givenPassword),
    reset: async () => {
      await emptyTables(database)
      server.world = await loadWorld(app)
      return server.world
    },
    close: async () => {
      await fastify.close()
      await Promise.all([database, app.files].map((resource) => resource.close()))
      await rm(filesDir, { recursive: true, force: true })
    },
  }
  return server
}

export const createLineSink = (lines: string[]) =>
  new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(chunk.toString())
      done()
    },
  })

/** Returns the username of `admin@alpha`: `alpha:admin@alpha.example`. */
export function buildUsername(userName: string): string {
  const [role, company] = userName.split('@')
  return `${company}:${role}@${company}.example`
}

async function logIn(fastify: FastifyInstance, username: string, givenPassword: string): Promise<SignedIn> {
  const response = await requestToken(
    fastify,
    { grant_type: 'password', username, password: givenPassword },
    { 'x-token-store': 'body' },
  )
  if (response.statusCode !== 200) throw new Error(`${username} is not let in: ${response.body}`)
  const { access_token, refresh_token, user_id } = response.json()
  const send: Send = (options) =>
    fastify.inject({ ...options, headers: { authorization: `Bearer ${access_token}`, ...options.headers } })
  return { accessToken: access_token, refresh: refresh_token, userId: user_id, send }
}

export const requestToken = (
  fastify: FastifyInstance,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) =>
  fastify.inject({
    method: 'POST',
    url: '/api/m18s/token',
    headers: { authorization: basicAuthorization, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  })
