import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lockFolder } from '#server/db/embedded/lock.ts'
import { markOf, type Space } from '#server/db/embedded/room.ts'
import { openEmbedded } from '#server/db/embedded/open.ts'
import { inScope } from '#server/db/scope.ts'
import { silent, testConfig, testHouse } from '#tests/support/database.ts'
import { system } from '#tests/support/people.ts'

// Making a database takes seconds on an idle machine.
vi.setConfig({ testTimeout: 90_000 })

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-embedded-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Another process that tries to take the lock: says `taken` and holds it, or ends with what it was told. */
function contender() {
  const script = `const { lockFolder } = await import('#server/db/embedded/lock.ts')
    try { await lockFolder(${JSON.stringify(folder)}); console.log('taken'); setInterval(() => {}, 1000) }
    catch (error) { console.log(error.message) }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = once(child.stdout, 'data').then(([part]) => String(part).trim())
  return { child, said, kill: async () => (child.kill('SIGKILL'), once(child, 'exit')) }
}

describe('the lock on a data folder (R-14)', () => {
  it('is held by one process, and let go by closing', async () => {
    const lock = await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toThrow(`in use by process ${process.pid}`)
    const other = contender()
    expect(await other.said).toMatch(`The data folder ${folder} is in use by process ${process.pid}`)
    await lock.release()
    await (await lockFolder(folder)).release()
  })

  it('of a killed process is taken over at once, by one of all that try', async () => {
    const holder = contender()
    expect(await holder.said).toBe('taken')
    await holder.kill()
    const before = performance.now()
    const all = Array.from({ length: 4 }, contender)
    const said = await Promise.all(all.map((one) => one.said))
    expect(performance.now() - before).toBeLessThan(10_000)
    expect(said.filter((word) => word === 'taken')).toHaveLength(1)
    await Promise.all(all.filter(({ child }) => child.exitCode === null).map((one) => one.kill()))
  })

  it('of a process number that was given out again is not mistaken for a live one', async () => {
    const lock = await lockFolder(folder)
    const path = join(folder, 'portal.lock')
    const held = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
    await lock.release()
    await writeFile(path, JSON.stringify({ ...held, started: '1' }))
    await (await lockFolder(folder)).release()
  })

  it('of another machine counts while its heartbeat goes on', async () => {
    const lock = await lockFolder(folder)
    const path = join(folder, 'portal.lock')
    const held = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
    await writeFile(path, JSON.stringify({ ...held, where: 'elsewhere' }))
    await expect(lockFolder(folder)).rejects.toThrow('is in use')
    await lock.release()
    await writeFile(path, JSON.stringify({ ...held, where: 'elsewhere' }))
    await (await lockFolder(folder)).release()
  })
})

describe('room on the disk (R-13)', () => {
  const gigabyte = 2 ** 30

  it.each([
    ['a small disk: 64 MB', gigabyte, 64 * 2 ** 20],
    ['a middle one: 5 %', 10 * gigabyte, gigabyte / 2],
    ['a large one: no more than a gigabyte', 1000 * gigabyte, gigabyte],
  ])('has to be, on %s', (_, total, mark) => {
    expect(markOf({ bytes: 64 * 2 ** 20, percent: 5 }, total)).toBe(mark)
  })

  it('is looked at while the server runs: writes stop below the mark, and go on without a restart', async () => {
    let space: Space = { free: 0, total: gigabyte }
    const config = { dataDir: join(folder, 'data'), freeSpace: testConfig().freeSpace }
    const database = await openEmbedded(config, silent, async () => space)
    expect(database.hasRoom()).toBe(false)
    // Reading goes on.
    await inScope(testHouse(database), system, (db) => sql`select 1`.execute(db))
    space = { free: gigabyte, total: gigabyte }
    await expect.poll(() => database.hasRoom(), { timeout: 10_000 }).toBe(true)
    await database.close()
  })
})

it('throws no compiled code of its engine away while it runs, which ends Node 24 now and then', async () => {
  const script = `const { startEngine } = await import('#server/db/embedded/engine.ts')
    const { pino } = await import('pino')
    const engine = await startEngine({ dataDir: null, load: null }, pino({ level: 'silent' }))
    await engine.pool.query('select 1')
    await engine.close()
    console.log('closed')`
  const args = ['--trace-wasm-code-gc', '--input-type=module', '-e', script]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (part) => (said += part))
  await once(child, 'close')
  expect(said).toBe('closed\n')
})
