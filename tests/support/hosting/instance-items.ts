/** Reads and writes items of a sample instance directly in its file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { LocalUnderTest } from '#tests/support/hosting/hosting.ts'

const getDatabasePath = ({ folder }: Pick<LocalUnderTest, 'folder'>, code: string, id: number): string => {
  const instanceDir = join(folder, 'instances', `${code}-${id}`)
  const { data = 'data' } = JSON.parse(readFileSync(join(instanceDir, 'instance.json'), 'utf8')) as { data?: string }
  return join(instanceDir, data, 'instance.db')
}

function withStore<T>(path: string, work: (store: DatabaseSync) => T): T {
  const store = new DatabaseSync(path, { timeout: 5000 })
  try {
    return work(store)
  } finally {
    store.close()
  }
}

/** Replaces the items by new ones with these names. */
export const putItems = (host: Pick<LocalUnderTest, 'folder'>, code: string, id: number, names: readonly string[]) =>
  withStore(getDatabasePath(host, code, id), (store) => {
    store.exec('begin immediate; delete from items')
    const insert = store.prepare(
      "insert into items (code, name, quantity, unit, version, changed) values (?, ?, 1000, 'pcs', 1, 0)",
    )
    names.forEach((name, index) => insert.run(`I${index}`, name))
    store.exec('commit')
  })

export const readItems = (host: Pick<LocalUnderTest, 'folder'>, code: string, id: number): string[] =>
  withStore(getDatabasePath(host, code, id), (store) =>
    store
      .prepare('select name from items order by id')
      .all()
      .map(({ name }) => String(name)),
  )
