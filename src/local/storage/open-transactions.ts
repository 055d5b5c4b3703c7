/**
 * Tracks the open transactions of this page or worker. WebKit freezes a page that is left, together with its transactions, and a frozen
 * transaction blocks all other pages. So open transactions are aborted when the page is left. Dexie closes the connections.
 */

const openedAtByRequest = new Map<IDBTransaction | IDBOpenDBRequest, number>()
const watchedFactories = new WeakSet<IDBFactory>()

let interruptionCount = 0
export const countInterruptions = (): number => interruptionCount

/** `lost`: the connection was closed and could not be reopened. `silent`: no response for some seconds. */
type DatabaseState = 'ready' | 'silent' | 'lost'

const silentAfterMs = 5_000
let isLost = false
export const setDatabaseLost = (value: boolean): void => void (isLost = value)

export function readDatabaseState(now = performance.now()): DatabaseState {
  if (isLost) return 'lost'
  return [...openedAtByRequest.values()].some((since) => now - since >= silentAfterMs) ? 'silent' : 'ready'
}

function followTransaction(transaction: IDBTransaction): IDBTransaction {
  openedAtByRequest.set(transaction, performance.now())
  const end = () => void openedAtByRequest.delete(transaction)
  transaction.addEventListener('complete', end)
  transaction.addEventListener('abort', end)
  return transaction
}

export function followTransactions(factory: IDBFactory | undefined): void {
  if (!factory || watchedFactories.has(factory)) return
  watchedFactories.add(factory)
  const open = factory.open.bind(factory)
  factory.open = (...args) => {
    const request = open(...args)
    openedAtByRequest.set(request, performance.now())
    const end = () => void openedAtByRequest.delete(request)
    request.addEventListener('upgradeneeded', () => request.transaction && followTransaction(request.transaction))
    request.addEventListener('error', end)
    request.addEventListener('success', () => {
      end()
      const connection = request.result
      const createTransaction = connection.transaction.bind(connection)
      connection.transaction = (...names) => followTransaction(createTransaction(...names))
    })
    return request
  }
}

export function abortTransactions(): void {
  for (const request of openedAtByRequest.keys()) {
    interruptionCount += 1
    try {
      if ('abort' in request) request.abort()
    } catch {
      // The transaction has ended, but its event has not been dispatched yet.
    }
  }
}

globalThis.addEventListener?.('pagehide', abortTransactions)
// Chromium freezes tabs that were in the background for a long time.
globalThis.addEventListener?.('freeze', abortTransactions, { capture: true })
