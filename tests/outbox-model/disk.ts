/**
 * Simulates a disk that outlives its processes. Each process (a page or a worker) has its own connections to one fake IndexedDB. A process
 * can die at any commit. After that it receives and changes nothing, but its commits stay. A test can also read the contents of the disk
 * while a process has an open transaction.
 */
import { forceCloseDatabase, IDBFactory } from 'fake-indexeddb'

export interface ModelDisk {
  /** Returns the IndexedDB of one process. */
  createView(process: KillableProcess): IDBFactory
  /**
   * Returns the rows of a table, including uncommitted ones, or an empty list if the table does not exist. The rows must not be changed.
   */
  read<T>(database: string, table: string): T[]
  /** Called after each commit of a writing transaction, if its process is alive and before the process is notified. */
  onCommit: (process: KillableProcess, transaction: IDBTransaction) => void
  /** If true, every transaction with a put is aborted, as on a full disk. */
  isFull: boolean
  /** Returns the number of transactions that have not ended. */
  countOpen(): number
  /** Closes all connections of this process, as the browser may do. */
  closeConnections(process: KillableProcess): void
  /** Aborts the open transactions of a process, so that it receives nothing any longer. */
  forget(process: KillableProcess): void
}

export interface KillableProcess {
  isDead: boolean
}

/** The internal parts of fake-indexeddb that this file uses: the stored records, and the abort with a reason. */
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
        // A dead process gets no events.
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
      // The transaction is committed, but its process died and is not notified.
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

/** Makes the transaction fail as on a full disk. Each put itself succeeds, then the complete transaction is aborted. */
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
