import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** `050`, after the last migration of the project in `root`. */
export function getNextMigrationNumber(root: string): string {
  const numbers = readdirSync(join(root, 'server/db/migrations')).map((file) => Number.parseInt(file, 10) || 0)
  return String(Math.max(...numbers) + 1).padStart(3, '0')
}
