/** `npm run new -- list vouchers --zh 优惠券`: writes a list page of the provider's staff, with its call, tables, texts and tests. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addList } from '#scripts/new/add-list.ts'

const usage = `Usage: npm run new -- list <plural> [<singular>] --zh <Chinese noun>
  npm run new -- list vouchers --zh 优惠券
  npm run new -- list boxes box --zh 箱子`

function run(args: string[]): string {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { zh: { type: 'string' } } })
  const [kind, plural, singular, ...rest] = positionals
  if (kind !== 'list' || plural === undefined || values.zh === undefined || rest.length > 0) throw new Error(usage)
  const paths = addList(join(import.meta.dirname, '..'), { plural, singular, chinese: values.zh })
  const isTest = (path: string) => path.startsWith('tests/')
  const productFiles = paths.filter((path) => !isTest(path))
  return [
    `${productFiles.length} product files:`,
    ...productFiles.map((path) => `  ${path}`),
    'tests:',
    ...paths.filter(isTest).map((path) => `  ${path}`),
    'Next: edit the columns and the texts, then run npm run check.',
  ].join('\n')
}

try {
  console.info(run(process.argv.slice(2)))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
