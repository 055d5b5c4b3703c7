import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lockFolder } from '#server/db/embedded/folder-lock.ts'
import { getRefusalThreshold, type DiskSpace } from '#server/db/embedded/free-space.ts'
import { openEmbeddedDatabase } from '#server/db/embedded/open.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { silent, testConfig, testContext } from '#tests/support/server/database.ts'
import { system } from '#tests/support/server/people.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { quickStart } from '#tests/support/server/process.ts'

// Creating a database takes seconds on an idle machine.
vi.setConfig({ testTimeout: 90_000 })

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-embedded-'))
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await rm(folder, { recursive: true, force: true })
})

/** Starts a process that tries to take the lock. It prints `taken` and keeps the lock, or prints the error and ends. */
function startContender() {
  const script = `const { lockFolder } = await import('#server/db/embedded/folder-lock.ts')
    try { await lockFolder(${JSON.stringify(folder)}); console.log('taken'); setInterval(() => {}, 1000) }
    catch (error) { console.log(error.message) }`
  const child = spawn(process.execPath, [...quickStart, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = once(child.stdout, 'data').then(([part]) => String(part).trim())
  return { child, output, kill: async () => (child.kill('SIGKILL'), once(child, 'exit')) }
}

describe.skipIf(process.platform === 'win32')('the permissions of a data folder (S-80)', () => {
  it('deny access to other users once the database is open, for existing and new files', async () => {
    await createDataFolder(folder)
    await chmod(folder, 0o777)
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o777)
    const database = await openEmbeddedDatabase(testConfig({ DATA_DIR: folder }), silent)
    try {
      const modes = await Promise.all(
        [folder, ...(await readdir(folder)).map((name) => join(folder, name))].map((path) => stat(path)),
      )
      expect(modes.map(({ mode }) => mode & 0o022)).toEqual(modes.map(() => 0))
      expect((await stat(folder)).mode & 0o077).toBe(0)
    } finally {
      await database.close()
    }
  })

  it('deny access to other users for new files, with any umask of the shell', async () => {
    const script = "await import('#server/config/private-files.ts'); console.log(process.umask().toString(8))"
    const child = spawn(process.execPath, [...quickStart, '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(String((await once(child.stdout, 'data'))[0]).trim()).toBe('77')
  })
})

describe('lockFolder (R-14)', () => {
  it('lets only one process open the folder until it releases the lock', async () => {
    const lock = await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`)
    const contender = startContender()
    expect(await contender.output).toMatch(`The data folder ${folder} is in use by process ${process.pid}`)
    await lock.release()
    await (await lockFolder(folder)).release()
  })

  it('gives the lock of a killed process immediately to exactly one contender', async () => {
    const contender = startContender()
    expect(await contender.output).toBe('taken')
    await contender.kill()
    const startedAt = performance.now()
    const contenders = Array.from({ length: 4 }, startContender)
    const outputs = await Promise.all(contenders.map((contender) => contender.output))
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(outputs.filter((output) => output === 'taken')).toHaveLength(1)
    await Promise.all(contenders.filter(({ child }) => child.exitCode === null).map((contender) => contender.kill()))
  })

  it('takes over a lock whose process id now belongs to another process', async () => {
    const lock = await lockFolder(folder)
    const path = join(folder, 'portal.lock')
    const storedLock = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
    await lock.release()
    await writeFile(path, JSON.stringify({ ...storedLock, started: '1' }))
    await (await lockFolder(folder)).release()
  })

  it('respects a lock of another machine while its heartbeat continues', async () => {
    // The two timings have the same ratio as the timings of the server.
    const quickTimings = { heartbeatMs: 100, watchMs: 350 }
    const lock = await lockFolder(folder, quickTimings)
    const path = join(folder, 'portal.lock')
    const storedLock = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
    await writeFile(path, JSON.stringify({ ...storedLock, where: 'elsewhere' }))
    await expect(lockFolder(folder, quickTimings)).rejects.toThrow('is in use')
    await lock.release()
    await writeFile(path, JSON.stringify({ ...storedLock, where: 'elsewhere' }))
    await (await lockFolder(folder, quickTimings)).release()
  })
})

describe('free disk space (R-13)', () => {
  const gigabyte = 2 ** 30

  it.each([
    ['a small disk: 64 MB', gigabyte, 64 * 2 ** 20],
    ['a medium disk: 5 %', 10 * gigabyte, gigabyte / 2],
    ['a large disk: at most 1 GB', 1000 * gigabyte, gigabyte],
  ])('is required on %s', (_, total, mark) => {
    expect(getRefusalThreshold({ bytes: 64 * 2 ** 20, percent: 5 }, total)).toBe(mark)
  })

  it('is checked while the server runs: writes stop below the limit, and resume without a restart', async () => {
    let space: DiskSpace = { free: 0, total: gigabyte }
    const config = { dataDir: join(folder, 'data'), freeSpace: testConfig().freeSpace }
    await createDataFolder(config.dataDir)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const database = await openEmbeddedDatabase(config, silent, async () => space)
    expect(database.hasFreeSpace()).toBe(false)
    // Reads continue.
    await runInTransaction(testContext(database), system, (db) => sql`select 1`.execute(db))
    space = { free: gigabyte, total: gigabyte }
    await vi.advanceTimersByTimeAsync(1999)
    expect(database.hasFreeSpace()).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(database.hasFreeSpace()).toBe(true)
    await database.close()
  })
})

describe('a database thread that ends', () => {
  it('makes running calls fail with 503, and the database reopens with all stored rows (fault 1l)', async () => {
    const threads: Worker[] = []
    const { postMessage } = Worker.prototype
    vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...args) {
      threads.push(this)
      postMessage.apply(this, args)
    })
    await createDataFolder(folder)
    const database = await openEmbeddedDatabase(testConfig({ DATA_DIR: folder }), silent)
    const app = testContext(database)
    const runQuery = (text: string) => runInTransaction(app, system, (db) => sql.raw<{ n: number }>(text).execute(db))
    try {
      await database.kysely.transaction().execute((db) => sql`create table kept as select 7 as n`.execute(db))
      await database.kysely.transaction().execute((db) => sql`grant select on kept to portal_system`.execute(db))
      const query = runQuery('select pg_sleep(0.2), 1 as n from generate_series(1, 100)')
      const refusedAssertion = expect(query).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      await threads.at(-1)?.terminate()
      await refusedAssertion
      await expect
        .poll(
          () =>
            runQuery('select n from kept').then(
              ({ rows }) => rows,
              () => null,
            ),
          { timeout: 30_000 },
        )
        .toEqual([{ n: 7 }])
    } finally {
      await database.close()
    }
  })
})

// Without the fix, the engine discards code only after as much work as creating a database, which is slow.
nightly(
  'The database engine does not discard compiled code while it runs, because that can crash Node 24',
  async () => {
    const script = `const { startEngine } = await import('#server/db/embedded/engine.ts')
    const { pino } = await import('pino')
    const engine = await startEngine({ dataDir: ${JSON.stringify(folder)}, load: null }, pino({ level: 'silent' }))
    await engine.pool.query('select 1')
    await engine.close()
    console.log('closed')`
    const args = ['--trace-wasm-code-gc', '--input-type=module', '-e', script]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    await once(child, 'close')
    expect(output).toBe('closed\n')
  },
)
