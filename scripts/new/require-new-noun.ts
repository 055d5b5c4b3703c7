import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NounNames } from '#scripts/new/names.ts'

/** Throws if one of the names is already used in the project in `root`. */
export function requireNewNoun(root: string, names: NounNames): void {
  const { file, plural, singularType, pluralType, table, deviceTable, path } = names
  const read = (name: string) => readFileSync(join(root, name), 'utf8')
  const readFolder = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join(folder, name)))
      .join('\n')
  const routes = read('src/app/routes/paths.ts')
  const calls = readFolder('src/contract')
  const tables = readFolder('server/db/tables')
  const takenNames = [
    [`the page ${plural}`, hasKey(routes, plural)],
    [`the address /app/m18/${path}`, routes.includes(`'/app/m18/${path}'`)],
    [`the calls ${plural}`, new RegExp(`\\b(as|const|type) ${plural}\\b`).test(read('src/contract/index.ts'))],
    [`the call list${pluralType}`, new RegExp(`\\bconst list${pluralType}\\b`).test(calls)],
    [`the address /api/${path}`, calls.includes(`'/api/${path}'`)],
    [`the table ${table}`, hasKey(tables, table)],
    [`the type ${singularType}Table`, new RegExp(`\\b${singularType}Table\\b`).test(tables)],
    [`the table ${deviceTable} on the device`, hasKey(read('src/local/storage/database.ts'), deviceTable)],
    [`the folder src/features/${file}`, existsSync(join(root, 'src/features', file))],
  ] as const
  const takenName = takenNames.find(([, isTaken]) => isTaken)?.[0]
  if (takenName === undefined) return
  throw new Error(
    `The project already has ${takenName}. Choose another name. If an earlier "npm run new" wrote it, undo that with git first.`,
  )
}

/** Whether the text has the key in an object or type, or the word in a list. */
const hasKey = (text: string, key: string) => new RegExp(`^ +(${key}\\??:|'${key}',)`, 'm').test(text)
