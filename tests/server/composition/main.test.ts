import { createServer } from 'node:net'
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { clientCredential } from '#contract/accounts.ts'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { openEmbeddedDatabase } from '#server/db/embedded/open.ts'
import { silent } from '#tests/support/server/database.ts'
import { isNight, nightly } from '#tests/support/runner/nightly.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'
import { type RunningProcess, startProcess } from '#tests/support/server/process.ts'
import { createBareFolder, createDataFolder } from '#tests/support/runner/template.ts'

// A first start creates a database, which takes seconds on an idle machine.
vi.setConfig({ testTimeout: 90_000 })

/** Makes the server process print the path of each loaded demo module. */
const hook = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { if (url.includes('/demo/')) console.log('loads', url); return next(url, context) } })`
const loadReportingEnv = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` }

const startedServers: RunningProcess[] = []
const startServerProcess = (env: Record<string, string>) => {
  const server = startProcess(env)
  startedServers.push(server)
  return server
}
/** Returns output and exit code of a server that fails to start, and the duration in ms. */
async function readRefusal(env: Record<string, string>) {
  const startedAt = performance.now()
  const server = startServerProcess(env)
  const code = await server.exitCode
  return { code, output: server.output().trim(), ms: performance.now() - startedAt }
}
const sentencePattern = /^[A-Z][^\n]*[.:]$|^[A-Z][^\n]*$/

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'portal-main-'))
})
afterEach(async () => {
  await Promise.all(startedServers.splice(0).map((running) => running.kill('SIGKILL')))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

describe('the server on a data folder', () => {
  it('loads the demo data, locks its folder, survives kill -9, and closes cleanly (R-14, R-15)', async () => {
    const env = { DATA_DIR: join(parent, 'data') }
    // By day a prepared database is used, because the engine needs ten seconds to create one in an empty folder.
    if (!isNight) await createBareFolder(env.DATA_DIR)
    const firstServer = startServerProcess({ ...env, ...loadReportingEnv })
    const url = await firstServer.ready
    expect(firstServer.output()).toContain('admin@acme.example')
    expect(firstServer.output()).toMatch(/loads \S+\/demo\/sample-data\/load-demo-data\.ts/)
    expect(firstServer.output().trim().split('\n').at(-1)).toContain('Portal-demo-1')
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)

    const refusal = await readRefusal(env)
    expect(refusal).toMatchObject({ code: 1 })
    expect(refusal.output).toContain(`The data folder ${env.DATA_DIR} is in use by process ${firstServer.child.pid}`)
    expect(refusal.output).toMatch(sentencePattern)
    expect(refusal.ms).toBeLessThan(10_000)
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)

    await firstServer.kill('SIGKILL')
    const startedAt = performance.now()
    const thirdServer = startServerProcess(env)
    const newUrl = await thirdServer.ready
    expect(performance.now() - startedAt).toBeLessThan(20_000)
    expect((await fetch(`${newUrl}/health/live`)).status).toBe(200)
    expect(await thirdServer.kill('SIGTERM')).toBe(0)
    expect(await readFile(join(env.DATA_DIR, 'portal.lock')).catch(() => null)).toBeNull()
    // The token key is 32 bytes in hexadecimal form (S-80).
    expect((await readFile(join(env.DATA_DIR, 'token.key'), 'latin1')).length).toBe(64)
  })

  it('refuses to serve the demo data, with its public passwords, to other machines', async () => {
    const refusal = await readRefusal({ DATA_DIR: join(parent, 'data'), HOST: '0.0.0.0' })
    expect(refusal).toMatchObject({ code: 1, output: expect.stringContaining('contains demo data') })
    expect(refusal.output).toContain('HOST 0.0.0.0 opens the server to other machines: set DATA_DIR')
    expect(refusal.output).toMatch(sentencePattern)
  })

  it('creates no accounts if the demo is off, but prints a link that the first admin can use once (S-34)', async () => {
    const env = { DATA_DIR: join(parent, 'real'), DEMO: '0', ...loadReportingEnv }
    await createDataFolder(env.DATA_DIR)
    const firstServer = startServerProcess(env)
    const url = await firstServer.ready
    // With the demo off, none of its code is loaded.
    expect(firstServer.output()).not.toContain('/demo/')
    for (const email of ['staff@m18.example', 'provider-admin@m18.local']) {
      const response = await fetch(`${url}/api/m18s/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(clientCredential)}` },
        body: new URLSearchParams({ grant_type: 'password', username: `m18:${email}`, password: 'Portal-demo-1' }),
      })
      expect([email, response.status]).toEqual([email, 401])
    }
    const [, otk = ''] = /saas\/sys\/activate\?otk=(\S+)/.exec(firstServer.output()) ?? []
    expect(otk).toMatch(/^[\w-]{43}$/)
    const activate = () =>
      fetch(`${url}/public/users/activate`, {
        method: 'POST',
        body: new URLSearchParams({ otk, password: 'Quiet-harbour-27' }),
      })
    const activationResponse = await activate()
    expect([activationResponse.status, await activationResponse.json()]).toEqual([200, { code: 'ACTIVATE_OK' }])
    expect((await activate()).status).toBe(400)
    expect(await firstServer.kill('SIGINT')).toBe(0)
    const secondServer = startServerProcess(env)
    await secondServer.ready
    expect(secondServer.output()).not.toContain('otk=')
  })
})

describe('a failed start prints one sentence and exits with 1', () => {
  nightly('if the port is in use', async () => {
    const otherServer = createServer()
    const port = await new Promise<number>((resolve) => {
      otherServer.listen(0, '127.0.0.1', () => resolve((otherServer.address() as { port: number }).port))
    })
    const env = { DATA_DIR: join(parent, 'port'), PORT: String(port), DEMO: '0' }
    await createDataFolder(env.DATA_DIR)
    const refusal = await readRefusal(env)
    await new Promise((resolve) => otherServer.close(resolve))
    expect(refusal).toMatchObject({
      code: 1,
      output: `Port ${port} is in use: stop the program that uses it, or set PORT to another number.`,
    })
  })

  nightly('if the folder contains foreign files, which stay unchanged', async () => {
    const folder = join(parent, 'foreign')
    await mkdir(folder)
    await writeFile(join(folder, 'thesis.doc'), 'mine')
    const refusal = await readRefusal({ DATA_DIR: folder })
    expect(refusal).toMatchObject({ code: 1, output: expect.stringContaining('files of another program (thesis.doc)') })
    expect(refusal.output).toMatch(sentencePattern)
    expect(await readFile(join(folder, 'thesis.doc'), 'utf8')).toBe('mine')
  })

  it('if the folder or its database is from a newer version', async () => {
    const dataDir = join(parent, 'newer')
    const open = () => openEmbeddedDatabase(readConfig({ DATA_DIR: dataDir }), silent)
    await mkdir(join(dataDir, 'database'), { recursive: true })
    await writeFile(join(dataDir, 'portal.json'), '{"portal": 2}')
    await expect(open()).rejects.toThrow(/newer version of the portal/)
    await writeFile(join(dataDir, 'portal.json'), '{"portal": 1}')
    await writeFile(join(dataDir, 'database', 'PG_VERSION'), '19\n')
    await expect(open()).rejects.toThrow(StartProblem)
    await expect(open()).rejects.toThrow(/^[^\n]*PostgreSQL 19[^\n]*$/)
  })

  nightly('if PAYMENT_SANDBOX_PORT is not a number', async () => {
    const refusal = await readRefusal({ DATA_DIR: join(parent, 'never'), PAYMENT_SANDBOX_PORT: 'cards' })
    expect(refusal).toMatchObject({ code: 1, output: expect.stringMatching(/^PAYMENT_SANDBOX_PORT must/) })
    expect(refusal.output).toMatch(sentencePattern)
  })

  it('if the database cannot be reached, without printing its password', async () => {
    const DATABASE_URL = 'postgres://nobody:hush@127.0.0.1:9/none'
    const refusal = await readRefusal({ DATABASE_URL, DATA_DIR: join(parent, 'pg') })
    expect(refusal.code).toBe(1)
    expect(refusal.output.split('\n').at(-1)).toMatch(/Could not use the database at 127\.0\.0\.1:9\/none:/)
    expect(refusal.output).not.toContain('hush')
  })

  it.each([
    ['PORT', 'http'],
    ['DATABASE_URL', 'mysql://x'],
    ['TIME_ZONE', 'Mars/Base'],
    ['UAT_BOUND', 'up'],
    ['PUBLIC_URL', 'portal'],
    ['TOKEN_KEY', 'short'],
    ['LOG_LEVEL', 'loud'],
  ])('if %s is set to "%s" (readConfig throws a StartProblem)', (name, value) => {
    const read = () => readConfig({ DATA_DIR: join(parent, 'never'), [name]: value })
    expect(read).toThrow(StartProblem)
    expect(read).toThrow(new RegExp(`^${name} must[^\\n]*$`))
  })
})

nightly(
  'The server on PostgreSQL requires a login that is granted both roles, and the same TOKEN_KEY on each node',
  async () => {
    const url = inject('postgresUrl') ?? ''
    const port = new URL(url).port
    await runAsSuperuser(url, 'postgres', [
      'create database plain',
      'create role portal_owner login createrole',
      'create role portal_login login noinherit',
      'alter database plain owner to portal_owner',
    ])
    await runAsSuperuser(url, 'plain', ['alter schema public owner to portal_owner'])
    const env = {
      DATA_DIR: join(parent, 'plain'),
      DATABASE_URL: `postgres://portal_login@127.0.0.1:${port}/plain`,
      MIGRATE_DATABASE_URL: `postgres://portal_owner@127.0.0.1:${port}/plain`,
      DEMO: '1',
    }
    const refusal = await readRefusal(env)
    expect(refusal).toMatchObject({ code: 1, output: expect.stringContaining('grant portal_app, portal_system to') })
    await runAsSuperuser(url, 'plain', ['grant portal_app, portal_system to portal_login'])
    const server = startServerProcess(env)
    expect((await fetch(`${await server.ready}/health/ready`)).status).toBe(200)
    // A second node on the same database needs the same key. Otherwise neither node could verify the tokens of the other.
    const secondRefusal = await readRefusal({ ...env, TOKEN_KEY: '22'.repeat(32) })
    expect(secondRefusal).toMatchObject({ code: 1, output: expect.stringContaining('TOKEN_KEY is not the key') })
    expect(await server.kill('SIGTERM')).toBe(0)
  },
)
