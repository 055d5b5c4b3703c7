/**
 * A disk that outlives whoever writes on it. Processes (a page, a worker) have connections of their own to one fake
 * IndexedDB; a process can die at any commit, and from then on hears and changes nothing, while what was committed stays.
 * Its contents can be read as they are, between two steps of the event loop, which no process could.
 */
import { forceCloseDatabase, IDBFactory } from 'fake-indexeddb'

export interface ModelDisk {
  /** The storage as this process sees it. */
  createView(process: KillableProcess): IDBFactory
  /** Contents of one table, what runs included; empty where there is none. Not to be changed. */
  read<T>(database: string, table: string): T[]
  /** Called after each commit of a process that is alive, before the process hears of it. */
  onCommit: (process: KillableProcess, transaction: IDBTransaction) => void
  /** Every put from here on fails, as it does where there is no room. */
  isFull: boolean
  /** Transactions that have not ended. */
  countOpen(): number
  /** The browser closes all connections of this process by itself. */
  closeConnections(process: KillableProcess): void
  /** Aborts what this process has under way, so that it never hears of anything again. */
  forget(process: KillableProcess): void
}

export interface KillableProcess {
  isDead: boolean
}

/** What of fake-indexeddb is used past its public face: the raw stores, and the abort with a reason. */
interface RawFactory {
  _databases: Map<string, { rawObjectStores: Map<string, { records: { values(): Iterable<{ value: unknown }> } }> }>
}
interface WatchedConnection extends IDBDatabase {
  isWatched?: true
}
type RawTransaction = IDBTransaction & { _abort(name: string): void; _state: string }

export function createDisk(): ModelDisk {
  const factory = new IDBFactory()
  const connections = new Map<KillableProcess, Set<WatchedConnection>>()
  const runningTransactions = new Map<RawTransaction, KillableProcess>()
  const disk: ModelDisk = {
    createView: (process) => createView(process) as IDBFactory,
    read: <T>(database: string, table: string) => {
      const store = (factory as unknown as RawFactory)._databases.get(database)?.rawObjectStores.get(table)
      return store ? [...store.records.values()].map(({ value }) => value as T) : []
    },
    onCommit: () => {},
    isFull: false,
    countOpen: () => runningTransactions.size,
    closeConnections(process) {
      for (const connection of connections.get(process) ?? []) forceCloseDatabase(connection as never)
      connections.delete(process)
    },
    forget(process) {
      for (const [transaction, owner] of runningTransactions) if (owner === process) silenceTransaction(transaction)
      connections.delete(process)
    },
  }

  function createView(process: KillableProcess): Partial<IDBFactory> {
    return {
      open(name, version) {
        // Nobody answers the dead.
        if (process.isDead) return {} as IDBOpenDBRequest
        const request = factory.open(name, version)
        request.addEventListener('upgradeneeded', () => {
          const { result, transaction } = request
          adoptConnection(process, result)
          if (transaction) watch(process, transaction as RawTransaction)
        })
        request.addEventListener('success', () => adoptConnection(process, request.result))
        return request
      },
      cmp: (a, b) => factory.cmp(a, b),
      deleteDatabase: (name) => factory.deleteDatabase(name),
      databases: () => factory.databases(),
    }
  }

  function adoptConnection(process: KillableProcess, connection: WatchedConnection): void {
    if (connection.isWatched) return
    connection.isWatched = true
    const ownConnections = connections.get(process) ?? new Set()
    connections.set(process, ownConnections.add(connection))
    const beginTransaction = connection.transaction.bind(connection)
    connection.transaction = (...args: Parameters<typeof beginTransaction>) => {
      if (process.isDead) throw new DOMException('the process is dead', 'InvalidStateError')
      const transaction = beginTransaction(...args) as RawTransaction
      watch(process, transaction)
      return transaction
    }
  }

  function watch(process: KillableProcess, transaction: RawTransaction): void {
    runningTransactions.set(transaction, process)
    transaction.addEventListener('abort', () => runningTransactions.delete(transaction))
    transaction.addEventListener('complete', () => {
      runningTransactions.delete(transaction)
      if (transaction.mode !== 'readonly' && !process.isDead) disk.onCommit(process, transaction)
      // Committed, and nobody is there any more to hear it.
      if (process.isDead) transaction.oncomplete = null
    })
    if (disk.isFull && transaction.mode === 'readwrite') failPuts(transaction)
  }

  function silenceTransaction(transaction: RawTransaction): void {
    transaction.oncomplete = transaction.onabort = transaction.onerror = null
    if (transaction._state !== 'finished' && transaction._state !== 'committing') transaction.abort()
  }
  return disk
}

/** The put itself succeeds; that there is no room shows when it is to be written down, and the whole is undone. */
function failPuts(transaction: RawTransaction): void {
  const openStore = transaction.objectStore.bind(transaction)
  transaction.objectStore = (name) => {
    const store = openStore(name)
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
