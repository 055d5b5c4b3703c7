/**
 * Tests a killed database whose log is truncated or changed at its end. The database may open with the data from before the damage,
 * or refuse with one sentence. It must neither open with half a transaction nor hang.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { StartProblem } from '#server/config/config.ts'
import { openEmbeddedDatabase } from '#server/db/embedded/open.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { silent, testConfig, testContext } from '#tests/support/server/database.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import { system } from '#tests/support/server/people.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { quickStart } from '#tests/support/server/process.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 })

const { freeSpace } = testConfig()
let folder: string
let killedDir: string

/** Writes two rows per transaction until it is killed, and prints the number of each committed transaction. */
const buildWriterScript = (dataDir: string) => `
  const { default: pino } = await import('pino')
  const { sql } = await import('kysely')
  const { openEmbeddedDatabase } = await import('#server/db/embedded/open.ts')
  const config = { dataDir: ${JSON.stringify(dataDir)}, freeSpace: { bytes: 0, percent: 0 } }
  const { kysely } = await openEmbeddedDatabase(config, pino({ level: 'silent' }))
  for (let n = 1; ; n++) {
    await kysely.transaction().execute(async (db) => {
      await sql\`insert into fact values ('a' || \${n}::int, repeat('x', 200))\`.execute(db)
      await sql\`insert into fact values ('b' || \${n}::int, repeat('x', 200))\`.execute(db)
    })
    console.log(n)
  }`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-damage-'))
  killedDir = join(folder, 'killed')
  await createDataFolder(killedDir)
  const child = spawn(process.execPath, [...quickStart, '--input-type=module', '-e', buildWriterScript(killedDir)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
    if (output.split('\n').length > 300) child.kill('SIGKILL')
  })
  await once(child, 'exit')
  expect(output.split('\n').length).toBeGreaterThan(300)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns the latest log file with content, and the position where its content ends. */
async function findLogTail(dataDir: string) {
  const logs = join(dataDir, 'database', 'pg_wal')
  const logFiles = (await readdir(logs)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort()
  for (const name of logFiles.toReversed()) {
    const bytes = await readFile(join(logs, name))
    let end = bytes.length
    while (end > 0 && bytes[end - 1] === 0) end--
    if (end > 0) return { path: join(logs, name), end, bytes }
  }
  throw new Error('the log is empty')
}

type DamageFunction = (tail: Awaited<ReturnType<typeof findLogTail>>) => Promise<void>

const overwrite = async (path: string, position: number, bytes: Uint8Array) => {
  const file = await open(path, 'r+')
  await file.write(bytes, 0, bytes.length, position)
  await file.close()
}
const cutTail =
  (distance: number): DamageFunction =>
  ({ path, end }) =>
    overwrite(path, end - distance, new Uint8Array(distance))
const flipBit =
  (distance: number): DamageFunction =>
  ({ path, end, bytes }) =>
    overwrite(path, end - distance, new Uint8Array([(bytes[end - distance] ?? 0) ^ 0x10]))
const shortenFile: DamageFunction = async ({ path, end }) => {
  const file = await open(path, 'r+')
  await file.truncate(end - 5000)
  await file.close()
}

describe('a database with a damaged end of its log', () => {
  const damages: [string, DamageFunction][] = [
    ['without its last 100 bytes', cutTail(100)],
    ['with a flipped bit some records before the end', flipBit(6000)],
    ['with a log file that ends too early', shortenFile],
    ['without its last 9000 bytes', cutTail(9000)],
    ['with a flipped bit in the last record', flipBit(20)],
  ]
  it.each(limitByDay(damages, 3))(
    'has all transactions up to some point and none after it, or does not open: %s',
    async (name, damage) => {
      const dataDir = join(folder, name.replaceAll(' ', '-'))
      cpSync(killedDir, dataDir, { recursive: true })
      await damage(await findLogTail(dataDir))
      const database = await openEmbeddedDatabase({ dataDir, freeSpace }, silent).catch((error: unknown) => error)
      if (database instanceof Error) {
        expect(database).toBeInstanceOf(StartProblem)
        return
      }
      const openDatabase = database as Awaited<ReturnType<typeof openEmbeddedDatabase>>
      const { rows } = await runInTransaction(testContext(openDatabase), system, (db) =>
        sql<{
          kind: string
          numbers: number[]
        }>`select left(name, 1) as kind, array_agg(substr(name, 2)::int order by 1) as
        numbers from fact where name ~ '^[ab][0-9]+$' group by 1 order by 1`.execute(db),
      )
      await openDatabase.close()
      const [firstNumbers = [], secondNumbers = []] = rows.map(({ numbers }) => numbers.toSorted((x, y) => x - y))
      expect(firstNumbers).toEqual(secondNumbers)
      // The numbers have no gaps: a later transaction never survives if an earlier one is lost.
      expect(firstNumbers).toEqual(Array.from({ length: firstNumbers.length }, (_, index) => index + 1))
      expect(firstNumbers.length).toBeGreaterThan(0)
    },
  )
})
