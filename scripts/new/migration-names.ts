import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileEdit } from '#scripts/new/edit-project.ts'

/** Returns the number after the last migration of the project in `root`, as `050`. */
export function getNextMigrationNumber(root: string): string {
  const numbers = readdirSync(join(root, 'server/db/migrations')).map((file) => Number.parseInt(file, 10) || 0)
  return String(Math.max(...numbers) + 1).padStart(3, '0')
}

const latestMigrationLine = /^export const latestMigration = '.*'$/m

/** Names the new migration as the latest: otherwise the server does not start. */
export const buildLatestMigrationEdit = (migration: string): FileEdit => ({
  path: 'server/db/tables/tables.ts',
  edit(text) {
    if (!latestMigrationLine.test(text)) throw new Error('"latestMigration" was not found')
    return text.replace(latestMigrationLine, `export const latestMigration = '${migration}'`)
  },
})
