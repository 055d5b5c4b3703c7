/** All migrations, by the names of their files, in the order in which they run. A migration that was released is never edited. */
import { readdirSync } from 'node:fs'
import type { Migration } from 'kysely/migration'

/** `049-column-names.ts` */
const names = readdirSync(import.meta.dirname)
  .filter((file) => /^\d{3}-.*\.ts$/.test(file))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort()

const load = async (name: string): Promise<[string, Migration]> => [
  name,
  (await import(/* @vite-ignore */ `./${name}.ts`)) as unknown as Migration,
]

export const migrations: Record<string, Migration> = Object.fromEntries(await Promise.all(names.map(load)))
