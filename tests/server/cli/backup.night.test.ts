/** Runs the backup command (docs/operating.md) as a process, with a portal's database and without one. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replaceFirstAdminLink } from '#server/composition/first-admin.ts'
import { openSqliteStore } from '#demo/sample-instance/storage/sqlite-store.ts'
import { readDataFile } from '#server/drivers/hosting/local/read-data.ts'
import { writeArchive } from '#server/use-cases/hosting/backups/archive.ts'
import { getIdentities, getRecipient } from '#server/use-cases/hosting/backups/backup-identities.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { testConfig } from '#tests/support/server/database.ts'
import { streamPieces, buildShopPieces } from '#tests/support/hosting/data-pieces.ts'
import { compileCacheEnv, quickStart } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { limitByDay, nightly } from '#tests/support/runner/nightly.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-backup-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const key = '11'.repeat(32)
const identities = getIdentities(testConfig(), 3)
const head = { backupId: 7, companyId: 3, companyCode: 'acme', serviceId: 4, code: 'shop', name: 'Shop', time: 0 }

const script = join(import.meta.dirname, '../../../server/cli/backup.ts')
async function runBackup(args: string[], env: Record<string, string> = {}): Promise<[code: number, output: string]> {
  const child = spawn(process.execPath, [...quickStart, script, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'silent',
      ...compileCacheEnv,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, 'close')
  return [Number(code), output]
}

describe('the backup command without a portal', () => {
  let archive: string
  let keyFile: string
  let items: unknown[]
  beforeAll(async () => {
    const instance = await openSqliteStore(join(folder, 'instance'), 1)
    const insert = "insert into items (code, name, quantity, unit, version, changed) values (?, ?, ?, 'pcs', 1, 0)"
    await instance.runInTransaction(async (queries) => {
      for (let index = 0; index < 300; index++)
        await queries.run(insert, `I${index}`, `Item "${index}" 店`, index * 1_000)
    })
    items = await instance.all('select * from items order by id')
    await instance.close()
    const pieces = readDataFile(join(folder, 'instance', 'instance.db'))
    archive = join(folder, 'shop.age')
    await writeFile(archive, await Array.fromAsync(writeArchive(head, pieces, identities[0])))
    keyFile = join(folder, 'acme.key')
    const [, output] = await runBackup(['keys', '--company-id', '3'], { BACKUP_KEY: key })
    await writeFile(keyFile, output)
  })

  it('restores an archive with its key, and the sample instance can open the restored data', async () => {
    const targetDir = join(folder, 'restored')
    const [code, output] = await runBackup(['restore', '--archive', archive, '--key', keyFile, '--into', targetDir])
    expect([code, output]).toEqual([0, expect.stringContaining('6 tables, 301 rows')])
    expect(output).toContain('Backup 7 of the service shop of company acme')
    expect(statSync(join(targetDir, 'instance.db')).mode & 0o077).toBe(0)
    expect(readdirSync(targetDir)).toEqual(['instance.db'])
    // The command needs no portal, and does not create a data folder.
    expect(readdirSync(folder)).not.toContain('data')
    const store = await openSqliteStore(targetDir, 2)
    expect(await store.all('select * from items order by id')).toEqual(items)
    expect(await store.get('pragma integrity_check')).toEqual({ integrity_check: 'ok' })
    await store.close()
  }, 60_000)

  it('does not overwrite existing data', async () => {
    const targetDir = join(folder, 'taken')
    await mkdir(targetDir)
    await writeFile(join(targetDir, 'instance.db'), 'somebody needs it')
    const result = await runBackup(['restore', '--archive', archive, '--key', keyFile, '--into', targetDir])
    expect(result).toEqual([1, expect.stringContaining('already exists')])
    expect(await readFile(join(targetDir, 'instance.db'), 'utf8')).toBe('somebody needs it')
  }, 60_000)

  it('rejects a damaged archive, a wrong key and missing files, and leaves nothing behind', async () => {
    const damagedArchive = await readFile(archive)
    damagedArchive.writeUInt8(damagedArchive.readUInt8(damagedArchive.length - 100) ^ 1, damagedArchive.length - 100)
    await writeFile(join(folder, 'broken.age'), damagedArchive)
    await writeFile(join(folder, 'other.key'), getIdentities(testConfig(), 4)[0])
    const targetDir = join(folder, 'never')
    const attempts: [archive: string, key: string, output: string][] = [
      [join(folder, 'broken.age'), keyFile, 'damaged'],
      [archive, join(folder, 'other.key'), 'no_key'],
      [join(folder, 'none'), keyFile, 'does not exist'],
      [keyFile, keyFile, 'damaged'],
      [archive, archive, 'does not contain a key'],
      [archive, join(folder, 'none'), 'does not exist'],
    ]
    for (const [file, keyPath, reason] of limitByDay(attempts, 3)) {
      const result = await runBackup(['restore', '--archive', file, '--key', keyPath, '--into', targetDir])
      expect(result).toEqual([1, expect.stringContaining(reason)])
      expect(result[1]).not.toMatch(/AGE-SECRET-KEY-1[0-9A-Z]{9}|\n {4}at /)
    }
    await expect(readFile(join(targetDir, 'instance.db'))).rejects.toThrow('ENOENT')
  }, 120_000)

  it('rejects an archive whose statements do not create its tables, and leaves nothing behind', async () => {
    const oddArchive = join(folder, 'odd.age')
    const [table, ...rest] = buildShopPieces(2)
    const otherTable = { ...table, statement: 'drop table items' } as typeof table
    const pieces = [otherTable, ...rest].filter((piece) => piece !== undefined)
    await writeFile(oddArchive, await Array.fromAsync(writeArchive(head, streamPieces(pieces), identities[0])))
    const targetDir = join(folder, 'odd')
    const result = await runBackup(['restore', '--archive', oddArchive, '--key', keyFile, '--into', targetDir])
    expect(result).toEqual([1, expect.stringContaining('Nothing was restored')])
    expect(readdirSync(targetDir)).toEqual([])
  }, 60_000)

  it('prints the current and the earlier keys of a company id in the format of age', async () => {
    const recipient = await getRecipient(testConfig(), 3)
    const [code, output] = await runBackup(['keys', '--company-id', '3'], {
      TOKEN_KEY: '22'.repeat(32),
      BACKUP_KEY: key,
      BACKUP_KEYS_BEFORE: '33'.repeat(32),
    })
    expect(code).toBe(0)
    expect(output).toContain(`# public key: ${recipient}\n${identities[0]}\n`)
    expect(output.split('\n').filter((line) => line.startsWith('AGE-SECRET-KEY-1'))).toHaveLength(2)
  }, 60_000)

  it('does not create a missing key', async () => {
    expect(await runBackup(['keys', '--company-id', '3'])).toEqual([1, expect.stringContaining('token.key')])
    expect(readdirSync(folder)).not.toContain('data')
  }, 60_000)

  nightly(
    'prints the usage for invalid arguments',
    async () => {
      const mistakenArgs = [
        [],
        ['keys', '--company', 'a', '--company-id', '1'],
        ['restore', '--archive', 'a', '--key', '', '--into', 'b'],
        ['list', '--service', 'shop', '--force'],
      ]
      const results = await Promise.all(mistakenArgs.map((args) => runBackup(args)))
      expect(results).toEqual(mistakenArgs.map(() => [1, expect.stringContaining('Usage')]))
    },
    60_000,
  )
})

describe('the backup command with a portal', () => {
  const env = () => ({ TOKEN_KEY: key, DATA_DIR: join(folder, 'portal'), DEMO: '0' })
  beforeAll(async () => {
    await createDataFolder(env().DATA_DIR)
    await withContext(env(), async (app) => void (await replaceFirstAdminLink(app, 'test')))
  })

  it('finds the key of a company by its code', async () => {
    const [code, output] = await runBackup(['keys', '--company', 'm18'], env())
    expect([code, output]).toEqual([0, expect.stringMatching(/company m18 \(\d+\)[^]*\nAGE-SECRET-KEY-1/)])
  }, 60_000)

  nightly(
    'reports that a company, service or backup does not exist',
    async () => {
      expect(await runBackup(['keys', '--company', 'none'], env())).toEqual([1, 'Company none does not exist.\n'])
      expect(await runBackup(['list', '--service', 'shop'], env())).toEqual([
        1,
        'Service shop has no backups, or it does not exist.\n',
      ])
      const restore = ['restore', '--backup', '1', '--service', 'shop']
      expect(await runBackup(restore, env())).toEqual([1, expect.stringContaining('The backup does not exist')])
      expect(await runBackup(restore, { ...env(), HOSTING: 'off' })).toEqual([
        1,
        expect.stringContaining('HOSTING is off'),
      ])
    },
    120_000,
  )
})
