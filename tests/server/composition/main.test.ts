import { createServer } from 'node:net'
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { clientCredential } from '#contract/accounts.ts'
import { readConfig, StartProblem } from '#server/config/config.ts'
import { openEmbedded } from '#server/db/embedded/open.ts'
import { silent } from '#tests/support/server/database.ts'
import { isNight, nightly } from '#tests/support/runner/nightly.ts'
import { asSuperuser } from '#tests/support/server/postgres.ts'
import { type Running, startProcess } from '#tests/support/server/process.ts'
import { layBareFolder, layDataFolder } from '#tests/support/runner/template.ts'

// A first start makes its database, which takes seconds on an idle machine.
vi.setConfig({ testTimeout: 90_000 })

/** Has the program write the address of each module of the demo that it loads. */
const hook = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { if (url.includes('/demo/')) console.log('loads', url); return next(url, context) } })`
const watched = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` }

const started: Running[] = []
const start = (env: Record<string, string>) => {
  const running = startProcess(env)
  started.push(running)
  return running
}
/** One sentence and exit code 1, and how long it took to say so. */
async function refusal(env: Record<string, string>) {
  const before = performance.now()
  const running = start(env)
  const code = await running.ended
  return { code, said: running.said().trim(), ms: performance.now() - before }
}
const oneSentence = /^[A-Z][^\n]*[.:]$|^[A-Z][^\n]*$/

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'portal-main-'))
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((running) => running.kill('SIGKILL')))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

describe('a server on a data folder', () => {
  it('opens with the demo world, refuses a second one at once, survives kill -9, and closes cleanly (R-14, R-15)', async () => {
    const env = { DATA_DIR: join(parent, 'data') }
    // By day what the engine makes in an empty folder is there already: that takes it ten seconds.
    if (!isNight) await layBareFolder(env.DATA_DIR)
    const first = start({ ...env, ...watched })
    const url = await first.ready
    expect(first.said()).toContain('admin@acme.example')
    expect(first.said()).toMatch(/loads \S+\/demo\/sample-data\/load-demo-data\.ts/)
    expect(first.said().trim().split('\n').at(-1)).toContain('Portal-demo-1')
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)

    const second = await refusal(env)
    expect(second).toMatchObject({ code: 1 })
    expect(second.said).toContain(`The data folder ${env.DATA_DIR} is in use by process ${first.child.pid}`)
    expect(second.said).toMatch(oneSentence)
    expect(second.ms).toBeLessThan(10_000)
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)

    await first.kill('SIGKILL')
    const before = performance.now()
    const third = start(env)
    const again = await third.ready
    expect(performance.now() - before).toBeLessThan(20_000)
    expect((await fetch(`${again}/health/live`)).status).toBe(200)
    expect(await third.kill('SIGTERM')).toBe(0)
    expect(await readFile(join(env.DATA_DIR, 'portal.lock')).catch(() => null)).toBeNull()
    // The key of the tokens is its owner's alone (S-80).
    expect((await readFile(join(env.DATA_DIR, 'token.key'), 'latin1')).length).toBe(64)
  })

  it('will not serve a demo world, whose passwords everybody knows, to other machines', async () => {
    const refused = await refusal({ DATA_DIR: join(parent, 'data'), HOST: '0.0.0.0' })
    expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('holds the demo world') })
    expect(refused.said).toContain('HOST 0.0.0.0 is for more than this machine: use another DATA_DIR')
    expect(refused.said).toMatch(oneSentence)
  })

  it('gives the first administrator of a real installation a link that works once, and nobody an account (S-34)', async () => {
    const env = { DATA_DIR: join(parent, 'real'), DEMO: '0', ...watched }
    await layDataFolder(env.DATA_DIR)
    const first = start(env)
    const url = await first.ready
    // With the demo off none of its code is loaded.
    expect(first.said()).not.toContain('/demo/')
    for (const email of ['staff@m18.example', 'provider-admin@m18.local']) {
      const guessed = await fetch(`${url}/api/m18s/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(clientCredential)}` },
        body: new URLSearchParams({ grant_type: 'password', username: `m18:${email}`, password: 'Portal-demo-1' }),
      })
      expect([email, guessed.status]).toEqual([email, 401])
    }
    const [, otk = ''] = /saas\/sys\/activate\?otk=(\S+)/.exec(first.said()) ?? []
    expect(otk).toMatch(/^[\w-]{43}$/)
    const activate = () =>
      fetch(`${url}/public/users/activate`, {
        method: 'POST',
        body: new URLSearchParams({ otk, password: 'Quiet-harbour-27' }),
      })
    const done = await activate()
    expect([done.status, await done.json()]).toEqual([200, { code: 'ACTIVATE_OK' }])
    expect((await activate()).status).toBe(400)
    expect(await first.kill('SIGINT')).toBe(0)
    const second = start(env)
    await second.ready
    expect(second.said()).not.toContain('otk=')
  })
})

describe('a start that cannot be is one sentence and exit code 1', () => {
  nightly('for a port in use', async () => {
    const taken = createServer()
    const port = await new Promise<number>((listening) => {
      taken.listen(0, '127.0.0.1', () => listening((taken.address() as { port: number }).port))
    })
    const env = { DATA_DIR: join(parent, 'port'), PORT: String(port), DEMO: '0' }
    await layDataFolder(env.DATA_DIR)
    const refused = await refusal(env)
    await new Promise((closed) => taken.close(closed))
    expect(refused).toMatchObject({
      code: 1,
      said: `Port ${port} is in use: stop what listens there, or set PORT to another number.`,
    })
  })

  nightly('for a folder with files of somebody else, which are left alone', async () => {
    const folder = join(parent, 'foreign')
    await mkdir(folder)
    await writeFile(join(folder, 'thesis.doc'), 'mine')
    const refused = await refusal({ DATA_DIR: folder })
    expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("not this portal's (thesis.doc)") })
    expect(refused.said).toMatch(oneSentence)
    expect(await readFile(join(folder, 'thesis.doc'), 'utf8')).toBe('mine')
  })

  it('for a folder of a newer version, and of a newer database', async () => {
    const dataDir = join(parent, 'newer')
    const open = () => openEmbedded(readConfig({ DATA_DIR: dataDir }), silent)
    await mkdir(join(dataDir, 'database'), { recursive: true })
    await writeFile(join(dataDir, 'portal.json'), '{"portal": 2}')
    await expect(open()).rejects.toThrow(/newer version of the portal/)
    await writeFile(join(dataDir, 'portal.json'), '{"portal": 1}')
    await writeFile(join(dataDir, 'database', 'PG_VERSION'), '19\n')
    await expect(open()).rejects.toThrow(StartProblem)
    await expect(open()).rejects.toThrow(/^[^\n]*PostgreSQL 19[^\n]*$/)
  })

  nightly('for a PAYMENT_SANDBOX_PORT that is no number', async () => {
    const refused = await refusal({ DATA_DIR: join(parent, 'never'), PAYMENT_SANDBOX_PORT: 'cards' })
    expect(refused).toMatchObject({ code: 1, said: expect.stringMatching(/^PAYMENT_SANDBOX_PORT must/) })
    expect(refused.said).toMatch(oneSentence)
  })

  it('for a database that is not there, without its password', async () => {
    const DATABASE_URL = 'postgres://nobody:hush@127.0.0.1:9/none'
    const refused = await refusal({ DATABASE_URL, DATA_DIR: join(parent, 'pg') })
    expect(refused.code).toBe(1)
    expect(refused.said.split('\n').at(-1)).toMatch(/127\.0\.0\.1:9\/none cannot be used/)
    expect(refused.said).not.toContain('hush')
  })

  it.each([
    ['PORT', 'http'],
    ['DATABASE_URL', 'mysql://x'],
    ['TIME_ZONE', 'Mars/Base'],
    ['UAT_BOUND', 'up'],
    ['PUBLIC_URL', 'portal'],
    ['TOKEN_KEY', 'short'],
    ['LOG_LEVEL', 'loud'],
  ])('for a %s of "%s", by a StartProblem of one sentence', (name, value) => {
    const read = () => readConfig({ DATA_DIR: join(parent, 'never'), [name]: value })
    expect(read).toThrow(StartProblem)
    expect(read).toThrow(new RegExp(`^${name} must[^\\n]*$`))
  })
})

nightly(
  'a server on PostgreSQL serves with a login that is a plain member of both roles, and refuses one that is not',
  async () => {
    const url = inject('postgresUrl') ?? ''
    const port = new URL(url).port
    await asSuperuser(url, 'postgres', [
      'create database plain',
      'create role portal_owner login createrole',
      'create role portal_login login noinherit',
      'alter database plain owner to portal_owner',
    ])
    await asSuperuser(url, 'plain', ['alter schema public owner to portal_owner'])
    const env = {
      DATA_DIR: join(parent, 'plain'),
      DATABASE_URL: `postgres://portal_login@127.0.0.1:${port}/plain`,
      MIGRATE_DATABASE_URL: `postgres://portal_owner@127.0.0.1:${port}/plain`,
      DEMO: '1',
    }
    const refused = await refusal(env)
    expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('grant portal_app, portal_system to') })
    await asSuperuser(url, 'plain', ['grant portal_app, portal_system to portal_login'])
    const running = start(env)
    expect((await fetch(`${await running.ready}/health/ready`)).status).toBe(200)
    // Two nodes on one database; the same key, or none of the two could answer for the other's tokens.
    const other = await refusal({ ...env, TOKEN_KEY: '22'.repeat(32) })
    expect(other).toMatchObject({ code: 1, said: expect.stringContaining('TOKEN_KEY is not the key') })
    expect(await running.kill('SIGTERM')).toBe(0)
  },
)
