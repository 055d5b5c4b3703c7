/**
 * The transactions that this page or worker has open. WebKit freezes a page that is left for its Back button together with its
 * transactions, and a frozen one blocks every other page for good: so they are aborted first. Dexie closes the connections.
 */

const openedAtByRequest = new Map<IDBTransaction | IDBOpenDBRequest, number>()
const watchedFactories = new WeakSet<IDBFactory>()

/** How often the page was left with something open. */
let interruptionCount = 0
export const countInterruptions = (): number => interruptionCount

/** Lost: it was closed under us and could not be opened again. Silent: it has not answered for some seconds. */
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

/** Follows all that is opened through this factory from now on. */
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

/** The page is being left. What was written in part is as if it had not been begun. */
export function abortTransactions(): void {
  for (const request of openedAtByRequest.keys()) {
    interruptionCount += 1
    try {
      if ('abort' in request) request.abort()
    } catch {
      // It has ended, and its event has not come yet.
    }
  }
}

globalThis.addEventListener?.('pagehide', abortTransactions)
// Chromium freezes tabs that nobody has looked at for long.
globalThis.addEventListener?.('freeze', abortTransactions, { capture: true })
