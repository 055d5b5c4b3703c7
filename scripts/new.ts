/** `npm run new -- list vouchers`: writes a list page of the provider's staff, with its call, tables, texts and tests. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { applyChange } from '#scripts/new/edit-project.ts'
import { buildListChange } from '#scripts/new/list-change.ts'
import { getNextMigrationNumber } from '#scripts/new/migration-number.ts'
import { toNounNames } from '#scripts/new/names.ts'

const root = join(import.meta.dirname, '..')
const usage = 'Usage: npm run new -- list <plural>, for example: npm run new -- list vouchers'

function run([kind, name]: string[]): string {
  if (kind !== 'list' || name === undefined) throw new Error(usage)
  const paths = applyChange(root, buildListChange(toNounNames(name), getNextMigrationNumber(root)))
  spawnSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', ...paths], { cwd: root })
  const isTest = (path: string) => path.startsWith('tests/')
  const productFiles = paths.filter((path) => !isTest(path))
  return [
    `${productFiles.length} product files:`,
    ...productFiles.map((path) => `  ${path}`),
    'tests:',
    ...paths.filter(isTest).map((path) => `  ${path}`),
    'Next: the columns of the table, the texts, then npm run check.',
  ].join('\n')
}

try {
  console.info(run(process.argv.slice(2)))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
