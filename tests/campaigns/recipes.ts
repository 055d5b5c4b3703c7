/**
 * Follows docs/recipes.md in a copy of the last commit: a new list page and a new company field. Then runs types, lint, the tests of
 * both and the rules of the tree there, and counts the product files against the limits.
 *
 *   npm run campaign -- recipes
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyChange, type ProjectChange } from '#scripts/new/edit-project.ts'
import { buildListChange } from '#scripts/new/list-change.ts'
import { getNextMigrationNumber } from '#scripts/new/migration-number.ts'
import { toNounNames } from '#scripts/new/names.ts'
import { buildCompanyFieldChange } from '#tests/campaigns/recipes/company-field-change.ts'
import { quickStart } from '#tests/support/server/process.ts'

const root = join(import.meta.dirname, '..', '..')
const maxListFiles = 14
const maxFieldFiles = 9

const tests = [
  'tests/server/use-cases/catalogue/gift-cards.test.ts',
  'tests/features/gift-cards',
  'tests/features/company',
  'tests/server/use-cases/profile-and-company-rules.test.ts',
  'tests/server/access.test.ts',
  'tests/server/db/shape.test.ts',
  'tests/contract',
  'tests/local/tables.test.ts',
  'tests/app/routes',
  'tests/architecture',
]

/** Throws with the output where the command fails. */
function runIn(folder: string, command: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
}

function follow(folder: string, name: string, change: ProjectChange, maxFiles: number): void {
  const paths = applyChange(folder, change)
  runIn(folder, join(root, 'node_modules/.bin/biome'), ['format', '--write', ...paths])
  const productFiles = paths.filter((path) => !path.startsWith('tests/'))
  console.log(`${name}: ${productFiles.length} product files (at most ${maxFiles})`)
  if (productFiles.length > maxFiles) process.exitCode = 1
}

function check(folder: string): void {
  const bin = (name: string) => join(folder, 'node_modules', '.bin', name)
  for (const part of ['pure', 'page', 'worker', 'server', 'tests'])
    runIn(folder, bin('tsc'), ['--noEmit', '-p', `tsconfig.${part}.json`])
  runIn(folder, bin('oxlint'), ['--type-aware', '--deny-warnings', 'src', 'server', 'tests/features'])
  runIn(folder, process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build'])
  runIn(folder, process.execPath, [...quickStart, join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...tests])
}

export async function run(): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'recipes-'))
  const folder = join(parent, 'project')
  try {
    runIn(root, 'git', ['clone', '--quiet', root, folder])
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
    // A link is no folder, which is what .gitignore names.
    appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n')
    const listChange = buildListChange(toNounNames('gift-cards'), getNextMigrationNumber(folder))
    follow(folder, 'a list page', listChange, maxListFiles)
    const field = { name: 'fax_number', label: { en: 'Fax number', zh: '传真号码' }, maxLength: 40 }
    follow(folder, 'a company field', buildCompanyFieldChange(field, getNextMigrationNumber(folder)), maxFieldFiles)
    check(folder)
    console.log('types, lint, build and tests pass with both')
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}
