import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StartProblem } from '#server/config/config.ts'
import { listMigrationNames, loadMigrations } from '#server/db/migrations/index.ts'
import { latestMigration } from '#server/db/tables/tables.ts'

describe('the folder of migrations', () => {
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

  it('is read in the order of the numbers, without the files beside them', () => {
    expect(list()).toEqual(['001-first', '002-second'])
  })

  it('of this version ends with the migration that the code names, and each of them can be loaded', async () => {
    const names = listMigrationNames()
    expect(names.at(-1)).toBe(latestMigration)
    expect(Object.keys(await loadMigrations(names))).toEqual(names)
  })

  it.each(['3-third.ts', '0003-third.ts', '003_third.ts', '003-Third.ts', '003-third.js', '003-third.ts.orig'])(
    'is refused with %s, which would be left out otherwise',
    (file) => {
      writeFileSync(join(folder, file), '')
      catchStartProblem(list).toThrow(`${file} is no name of a migration`)
    },
  )

  it('is refused with a newer migration, which another version has left there', () => {
    writeFileSync(join(folder, '003-of-tomorrow.ts'), 'throw new Error("loaded")\n')
    catchStartProblem(list).toThrow(/last migration of this version is 002-second, but .* is 003-of-tomorrow/)
  })

  it('is refused without the latest migration, and when it is empty', () => {
    rmSync(join(folder, '002-second.ts'))
    catchStartProblem(list).toThrow(/is 001-first/)
    rmSync(join(folder, '001-first.ts'))
    catchStartProblem(list).toThrow(/is missing/)
  })

  it('is refused with a file that has no step up', async () => {
    writeFileSync(join(folder, '002-second.ts'), 'export const down = async () => undefined\n')
    await expect(loadMigrations(list(), folder)).rejects.toThrow(StartProblem)
    await expect(loadMigrations(list(), folder)).rejects.toThrow(
      /002-second\.ts is no migration: it does not export up/,
    )
  })
})
