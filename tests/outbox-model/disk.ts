/**
 * A disk that outlives whoever writes on it. Processes (a page, a worker) have connections of their own to one fake
 * IndexedDB; a process can die at any commit, and from then on hears and changes nothing, while what was committed stays.
 * Its contents can be read as they are, between two steps of the event loop, which no process could.
 */
import { forceCloseDatabase, IDBFactory } from 'fake-indexeddb'

export interface Disk {
  /** The storage as this process sees it. */
  viewFor(process: Mortal): IDBFactory
  /** Contents of one table, what runs included; empty where there is none. Not to be changed. */
  read<T>(database: string, table: string): T[]
  /** Called after each commit of a process that is alive, before the process hears of it. */
  onCommit: (process: Mortal, transaction: IDBTransaction) => void
  /** Every put from here on fails, as it does where there is no room. */
  isFull: boolean
  /** Transactions that have not ended. */
  open(): number
  /** The browser closes all connections of this process by itself. */
  closeConnections(process: Mortal): void
  /** Aborts what this process has under way, so that it never hears of anything again. */
  forget(process: Mortal): void
}

export interface Mortal {
  isDead: boolean
}

/** What of fake-indexeddb is used past its public face: the raw stores, and the abort with a reason. */
interface Raw {
  _databases: Map<string, { rawObjectStores: Map<string, { records: { values(): Iterable<{ value: unknown }> } }> }>
}
interface Connection extends IDBDatabase {
  isWatched?: true
}
type Transaction = IDBTransaction & { _abort(name: string): void; _state: string }

export function createDisk(): Disk {
  const factory = new IDBFactory()
  const connections = new Map<Mortal, Set<Connection>>()
  const running = new Map<Transaction, Mortal>()
  const disk: Disk = {
    viewFor: (process) => viewFor(process) as IDBFactory,
    read: <T>(database: string, table: string) => {
      const store = (factory as unknown as Raw)._databases.get(database)?.rawObjectStores.get(table)
      return store ? [...store.records.values()].map(({ value }) => value as T) : []
    },
    onCommit: () => {},
    isFull: false,
    open: () => running.size,
    closeConnections(process) {
      for (const connection of connections.get(process) ?? []) forceCloseDatabase(connection as never)
      connections.delete(process)
    },
    forget(process) {
      for (const [transaction, owner] of running) if (owner === process) silence(transaction)
      connections.delete(process)
    },
  }

  function viewFor(process: Mortal): Partial<IDBFactory> {
    return {
      open(name, version) {
        // Nobody answers the dead.
        if (process.isDead) return {} as IDBOpenDBRequest
        const request = factory.open(name, version)
        request.addEventListener('upgradeneeded', () => {
          const { result, transaction } = request
          adopt(process, result)
          if (transaction) watch(process, transaction as Transaction)
        })
        request.addEventListener('success', () => adopt(process, request.result))
        return request
      },
      cmp: (a, b) => factory.cmp(a, b),
      deleteDatabase: (name) => factory.deleteDatabase(name),
      databases: () => factory.databases(),
    }
  }

  function adopt(process: Mortal, connection: Connection): void {
    if (connection.isWatched) return
    connection.isWatched = true
    const own = connections.get(process) ?? new Set()
    connections.set(process, own.add(connection))
    const begin = connection.transaction.bind(connection)
    connection.transaction = (...args: Parameters<typeof begin>) => {
      if (process.isDead) throw new DOMException('the process is dead', 'InvalidStateError')
      const transaction = begin(...args) as Transaction
      watch(process, transaction)
      return transaction
    }
  }

  function watch(process: Mortal, transaction: Transaction): void {
    running.set(transaction, process)
    transaction.addEventListener('abort', () => running.delete(transaction))
    transaction.addEventListener('complete', () => {
      running.delete(transaction)
      if (transaction.mode !== 'readonly' && !process.isDead) disk.onCommit(process, transaction)
      // Committed, and nobody is there any more to hear it.
      if (process.isDead) transaction.oncomplete = null
    })
    if (disk.isFull && transaction.mode === 'readwrite') failPuts(transaction)
  }

  function silence(transaction: Transaction): void {
    transaction.oncomplete = transaction.onabort = transaction.onerror = null
    if (transaction._state !== 'finished' && transaction._state !== 'committing') transaction.abort()
  }
  return disk
}

/** The put itself succeeds; that there is no room shows when it is to be written down, and the whole is undone. */
function failPuts(transaction: Transaction): void {
  const storeOf = transaction.objectStore.bind(transaction)
  transaction.objectStore = (name) => {
    const store = storeOf(name)
    const put = IDBObjectStore.prototype.put.bind(store)
    store.put = (...args: Parameters<typeof put>) => {
      const request = put(...args)
      request.addEventListener('success', () => {
        if (transaction._state === 'active') transaction._abort('QuotaExceededError')
      })
      return request
    }
    return store
  }
}
