/** Implements the list in hand-written IndexedDB, for comparison: one compound index per query, and `count()` for the total. */
import { type AuditRow, createRowBatches } from './rows.ts'

const toPromise = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const waitForCommit = (transaction: IDBTransaction) =>
  new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })

export async function openRawDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => {
    const store = request.result.createObjectStore('rows', { keyPath: 'id' })
    store.createIndex('time', ['end_time', 'id'])
    store.createIndex('code', ['code', 'end_time', 'id'])
    store.createIndex('failed', ['code', 'status', 'end_time', 'id'])
  }
  return await toPromise(request)
}

export async function fillRawDatabase(db: IDBDatabase, count: number): Promise<void> {
  for (const rows of createRowBatches(count)) {
    const transaction = db.transaction('rows', 'readwrite', { durability: 'relaxed' })
    const store = transaction.objectStore('rows')
    for (const row of rows) store.put(row)
    await waitForCommit(transaction)
  }
}

/** Returns the latest ten rows of a range and their total. */
export async function readRawPage(db: IDBDatabase, query: { code: string; from: string; until: string }) {
  const { code, from, until } = query
  const index = db.transaction('rows').objectStore('rows').index('code')
  const range = IDBKeyRange.bound([code, from], [code, `${until}\uffff`])
  const [count, rows] = await Promise.all([toPromise(index.count(range)), readLatest(index, range, 10)])
  return { count, ids: rows.map(({ id }) => id) }
}

const readLatest = (index: IDBIndex, range: IDBKeyRange, maxRows: number) =>
  new Promise<AuditRow[]>((resolve, reject) => {
    const rows: AuditRow[] = []
    const request = index.openCursor(range, 'prev')
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const cursor = request.result
      if (cursor) rows.push(cursor.value)
      if (cursor && rows.length < maxRows) cursor.continue()
      else resolve(rows)
    }
  })
