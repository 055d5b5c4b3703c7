/**
 * Writes past Dexie, as `asking.ts` reads past it: for what a user waits for until it is on disk (0027). Live queries hear of
 * them, in every tab.
 */
import { Dexie, type ObservabilitySet } from 'dexie'
import {
  type Asking,
  answerTo,
  askingIn,
  keyOf,
  type Note,
  noteIn,
  type RowOf,
  type Rows,
  type Span,
} from '#local/asking.ts'
import { insist } from '#local/database.ts'

export interface Storing extends Asking {
  /** What the rows are called, from one key of an index to another, both included, in its order; where that is a text. */
  namesBetween(table: Rows, span: Span, index: string): Promise<string[]>
  /** Nothing is said when it is stored: whether it was, the transaction's end says. Throws what cannot be stored at all. */
  put<R extends Rows>(table: R, row: RowOf<R>): void
  /** After the last of them: the browser need not ask whether there will be more. */
  commit(): void
}

/**
 * One strict transaction: it is on disk when this resolves. Fails with what `act` threw, and nothing was stored, or with
 * the browser's own reason.
 */
export const strictly = <T>(db: Dexie, tables: readonly string[], act: (ask: Storing) => Promise<T>): Promise<T> =>
  insist(db, () => attempt(db, tables, act))

async function attempt<T>(db: Dexie, tables: readonly string[], act: (ask: Storing) => Promise<T>): Promise<T> {
  await db.open()
  const transaction = db.backendDB().transaction(tables, 'readwrite', { durability: 'strict' })
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new DOMException('taken back', 'AbortError'))
  })
  const written: ObservabilitySet = {}
  // Its failure is told by whichever comes first.
  ended.catch(() => undefined)
  const acted = await act(storingIn(transaction, noteIn(db, written))).catch((error: unknown) => {
    takeBack(transaction)
    throw transaction.error ?? error
  })
  // Before it has ended, because nothing else is to be done until then; whoever asks now is answered after it.
  Dexie.on('storagemutated').fire(written)
  await ended
  return acted
}

/** The same inside of a transaction that Dexie began. */
export function storingHere(db: Dexie): Storing {
  const { idbtrans } = Dexie.currentTransaction
  const written: ObservabilitySet = {}
  Dexie.currentTransaction.on('complete', () => Dexie.on('storagemutated').fire(written))
  return storingIn(idbtrans, noteIn(db, written))
}

function storingIn(transaction: IDBTransaction, note: Note): Storing {
  return {
    ...askingIn(transaction),
    async namesBetween(table, span, index) {
      const keys = transaction
        .objectStore(table.name)
        .index(index)
        .getAllKeys(IDBKeyRange.bound(...span))
      return (await answerTo(keys)).map(String)
    },
    put(table, row) {
      transaction.objectStore(table.name).put(row)
      // One that took the place of another is told as gone, too.
      for (const index of ['', ':dels']) note(table, index, keyOf(table, row))
      for (const { name, keyPath, multi } of table.schema.indexes) {
        const key: unknown = Dexie.getByKeyPath(row as object, keyPath as string)
        for (const one of multi ? (key as unknown[]) : [key])
          if (one !== null && one !== undefined) note(table, name, one)
      }
    },
    commit: () => transaction.commit?.(),
  }
}

function takeBack(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch {
    // It had ended by itself.
  }
}
