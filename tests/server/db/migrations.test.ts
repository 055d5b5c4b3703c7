import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StartProblem } from '#server/config/config.ts'
import { listMigrationNames, loadMigrations } from '#server/db/migrations/index.ts'
import { latestMigration } from '#server/db/tables/tables.ts'

describe('listMigrationNames', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'migrations-'))
    for (const file of ['index.ts', 'tenancy.ts', '002-second.ts', '001-first.ts'])
      writeFileSync(join(folder, file), 'export const up = async () => undefined\n')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const list = () => listMigrationNames(folder, '002-second')
  const catchStartProblem = (run: () => unknown) => {
    expect(run).toThrow(StartProblem)
    return expect(run)
  }

  it('returns the migrations in order, without other files', () => {
    expect(list()).toEqual(['001-first', '002-second'])
  })

  it('ends with latestMigration, and each migration can be loaded', async () => {
    const names = listMigrationNames()
    expect(names.at(-1)).toBe(latestMigration)
    expect(Object.keys(await loadMigrations(names))).toEqual(names)
  })

  it.each(['3-third.ts', '0003-third.ts', '003_third.ts', '003-Third.ts', '003-third.js', '003-third.ts.orig'])(
    'rejects the invalid file name %s',
    (file) => {
      writeFileSync(join(folder, file), '')
      catchStartProblem(list).toThrow(`${file} is not named like a migration`)
    },
  )

  it('rejects a migration of a newer version', () => {
    writeFileSync(join(folder, '003-of-tomorrow.ts'), 'throw new Error("loaded")\n')
    catchStartProblem(list).toThrow(/last migration of this version is 002-second, but .* is 003-of-tomorrow/)
  })

  it('rejects a folder without the latest migration, and an empty folder', () => {
    rmSync(join(folder, '002-second.ts'))
    catchStartProblem(list).toThrow(/is 001-first/)
    rmSync(join(folder, '001-first.ts'))
    catchStartProblem(list).toThrow(/is missing/)
  })

  it('rejects a file that does not export up', async () => {
    writeFileSync(join(folder, '002-second.ts'), 'export const down = async () => undefined\n')
    await expect(loadMigrations(list(), folder)).rejects.toThrow(StartProblem)
    await expect(loadMigrations(list(), folder)).rejects.toThrow(
      /002-second\.ts is not a migration: it does not export up/,
    )
  })
})
