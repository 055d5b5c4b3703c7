/** Items of a sample instance as they stand in its file, past its tasks. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { LocalUnderTest } from '#tests/support/hosting/hosting.ts'

const fileOf = ({ folder }: Pick<LocalUnderTest, 'folder'>, code: string, id: number): string => {
  const place = join(folder, 'instances', `${code}-${id}`)
  const { data = 'data' } = JSON.parse(readFileSync(join(place, 'instance.json'), 'utf8')) as { data?: string }
  return join(place, data, 'instance.db')
}

function withStore<T>(path: string, work: (store: DatabaseSync) => T): T {
  const store = new DatabaseSync(path, { timeout: 5000 })
  try {
    return work(store)
  } finally {
    store.close()
  }
}

/** So many, under names of their own, in place of those that were there. */
export const putItems = (host: Pick<LocalUnderTest, 'folder'>, code: string, id: number, names: readonly string[]) =>
  withStore(fileOf(host, code, id), (store) => {
    store.exec('begin immediate; delete from items')
    const insert = store.prepare(
      "insert into items (code, name, quantity, unit, version, changed) values (?, ?, 1000, 'pcs', 1, 0)",
    )
    names.forEach((name, at) => insert.run(`I${at}`, name))
    store.exec('commit')
  })

export const itemsOf = (host: Pick<LocalUnderTest, 'folder'>, code: string, id: number): string[] =>
  withStore(fileOf(host, code, id), (store) =>
    store
      .prepare('select name from items order by id')
      .all()
      .map(({ name }) => String(name)),
  )
