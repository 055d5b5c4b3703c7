/**
 * Follows docs/recipes.md in a copy of the last commit: two new list pages and a new company field. Then runs types, lint, the tests of
 * all three and the rules of the tree there, and counts the product files against the limits.
 *
 *   npm run campaign -- recipes
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addList } from '#scripts/new/add-list.ts'
import { applyChange } from '#scripts/new/edit-project.ts'
import { formatFiles } from '#scripts/new/format-files.ts'
import { getNextMigrationNumber } from '#scripts/new/migration-names.ts'
import { buildCompanyFieldChange } from '#tests/campaigns/recipes/company-field-change.ts'
import { quickStart } from '#tests/support/server/process.ts'

const root = join(import.meta.dirname, '..', '..')
const maxListFiles = 14
const maxFieldFiles = 9

/** The second list has the table `group`, a reserved word of SQL. */
const nouns = [
  { plural: 'gift-cards', chinese: '礼品卡' },
  { plural: 'groups', chinese: '分组' },
]

const tests = [
  ...nouns.flatMap(({ plural }) => [`tests/server/use-cases/catalogue/${plural}.test.ts`, `tests/features/${plural}`]),
  'tests/features/company',
  'tests/server/use-cases/profile-and-company-rules.test.ts',
  'tests/server/access.test.ts',
  'tests/server/db/isolation.test.ts',
  'tests/server/db/migrations.test.ts',
  'tests/server/db/shape.test.ts',
  'tests/contract',
  'tests/local/tables.test.ts',
  'tests/app/routes',
  'tests/architecture',
  'tests/scripts',
]

/** Runs a command in a folder. Throws with its output if it fails. */
function runIn(folder: string, command: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
}

function countFiles(name: string, paths: readonly string[], maxFiles: number): void {
  const productFiles = paths.filter((path) => !path.startsWith('tests/'))
  console.log(`${name}: ${productFiles.length} product files (at most ${maxFiles})`)
  if (productFiles.length > maxFiles) process.exitCode = 1
}

function addCompanyField(folder: string): string[] {
  const field = { name: 'fax_number', label: { en: 'Fax number', zh: '传真号码' }, maxLength: 40 }
  const paths = applyChange(folder, buildCompanyFieldChange(field, getNextMigrationNumber(folder)))
  formatFiles(folder, paths)
  return paths
}

function check(folder: string): void {
  const bin = (name: string) => join(folder, 'node_modules', '.bin', name)
  for (const part of ['pure', 'page', 'worker', 'server', 'tests'])
    runIn(folder, bin('tsc'), ['--noEmit', '-p', `tsconfig.${part}.json`])
  runIn(folder, bin('oxlint'), [
    '--type-aware',
    '--deny-warnings',
    'src',
    'server',
    'tests/features',
    'tests/server/use-cases',
  ])
  runIn(folder, process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build'])
  runIn(folder, process.execPath, [...quickStart, join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...tests])
}

export async function run(): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'recipes-'))
  const folder = join(parent, 'project')
  try {
    runIn(root, 'git', ['clone', '--quiet', root, folder])
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
    // The pattern in .gitignore matches a folder, but not this symbolic link.
    appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n')
    for (const noun of nouns) countFiles(`a list page of ${noun.plural}`, addList(folder, noun), maxListFiles)
    countFiles('a company field', addCompanyField(folder), maxFieldFiles)
    check(folder)
    console.log('types, lint, build and tests pass with all three')
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}
