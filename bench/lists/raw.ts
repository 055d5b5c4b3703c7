/** The peer: IndexedDB by hand, one compound index for each question, `count()` for the total. */
import { type AuditRow, pieces } from './rows.ts'

const asked = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const ended = (transaction: IDBTransaction) =>
  new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })

export async function openRaw(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => {
    const store = request.result.createObjectStore('rows', { keyPath: 'id' })
    store.createIndex('time', ['end_time', 'id'])
    store.createIndex('code', ['code', 'end_time', 'id'])
    store.createIndex('failed', ['code', 'status', 'end_time', 'id'])
  }
  return await asked(request)
}

export async function fillRaw(db: IDBDatabase, count: number): Promise<void> {
  for (const rows of pieces(count)) {
    const transaction = db.transaction('rows', 'readwrite', { durability: 'relaxed' })
    const store = transaction.objectStore('rows')
    for (const row of rows) store.put(row)
    await ended(transaction)
  }
}

/** The newest ten of a range and how many there are. */
export async function pageRaw(db: IDBDatabase, given: { code: string; from: string; until: string }) {
  const { code, from, until } = given
  const index = db.transaction('rows').objectStore('rows').index('code')
  const range = IDBKeyRange.bound([code, from], [code, `${until}\uffff`])
  const [count, rows] = await Promise.all([asked(index.count(range)), newest(index, range, 10)])
  return { count, ids: rows.map(({ id }) => id) }
}

const newest = (index: IDBIndex, range: IDBKeyRange, most: number) =>
  new Promise<AuditRow[]>((resolve, reject) => {
    const found: AuditRow[] = []
    const request = index.openCursor(range, 'prev')
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const cursor = request.result
      if (cursor) found.push(cursor.value)
      if (cursor && found.length < most) cursor.continue()
      else resolve(found)
    }
  })
