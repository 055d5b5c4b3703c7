/** Lists the files of the built client that the worker caches only for some users (P-09). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type PartName = 'orders' | 'staff' | 'trail' | 'users' | 'pinyin'

export function listPartFiles(part: PartName): string[] {
  const parts: Record<string, string> = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', '..', 'dist', 'parts.json'), 'utf8'),
  )
  return Object.keys(parts).filter((file) => parts[file] === part)
}

/** Returns how many of the files the worker has cached. Runs in the page. */
export async function countCachedPartFiles(files: string[]): Promise<number> {
  const names = (await caches.keys()).filter((name) => name.startsWith('portal-staff-'))
  const requests = await Promise.all(names.map(async (name) => await (await caches.open(name)).keys()))
  return requests.flat().filter(({ url }) => files.some((file) => url.endsWith(`/saas/${file}`))).length
}
