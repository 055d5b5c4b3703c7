/**
 * The outbox as its promise says it, without a database: what was wished, in which lanes, what its user wants of it now.
 * It is shown every commit of the device and every arrival at the server, and writes down where one of them breaks the
 * promise: nothing leaves but what is accepted or taken back, nobody overtakes, nobody acts for another, receipts are true.
 */
import type { OutboxEntry, Receipt, Sealed } from '#local/storage/records.ts'
import type { Item, ModelServer } from '#tests/outbox-model/server.ts'
import { company } from '#tests/support/device/device-database.ts'

export type Will = 'stands' | 'dropped' | 'discarded'

export interface Wish {
  intent: string
  owner: number
  action: OutboxEntry['action']
  /** The intent that makes its row, or the row's id. */
  row: string | number
  /** All that its user ever said it should be, the last one last. */
  said: Record<string, unknown>[]
  will: Will
  /** Sent from a form while the disk was full: it may take effect without ever having been on it. */
  mayBeDirect?: boolean
}

/** What is committed of one user's writes. */
export interface OnDisk {
  outbox: readonly OutboxEntry[]
  receipts: readonly Receipt[]
  seals: readonly Sealed[]
  /** Ids of the rows that are here. */
  rows: ReadonlySet<number>
}

export interface Promised {
  wishes: Map<string, Wish>
  broken: string[]
  wish(wish: Omit<Wish, 'will'>): void
  /** Its user takes it back, and with it what hangs on a row that is never made. */
  drop(intent: string): void
  discard(owner: number): void
  /** Shown after every commit. */
  committed(owner: number, by: unknown, now: OnDisk): void
  /** Shown before the server looks at them. */
  arrived(items: readonly Item[]): void
  /** How it left the outbox last; undefined: it did not, or is back. Receipts can be sealed away, this cannot. */
  endOf(intent: string): Receipt['outcome'] | undefined
  /** In the order in which they went onto the disk, of one lane. */
  queueKey(row: Wish['row'], owner: number): string[]
}

const isParked = ({ state }: OutboxEntry) => ['refused', 'asks', 'conflict'].includes(state)

/** Where a refusal leads, by its number and code. */
function parkedBy({ problem, action, bytes }: OutboxEntry): OutboxEntry['state'] {
  if (problem?.code === 'APP_CONFIRM') return 'asks'
  if (problem?.status === 412) return 'conflict'
  return problem?.status === 404 && action === 'change' && bytes?.method === 'PUT' ? 'conflict' : 'refused'
}

/** Refusals after which a device may find that what was wished is so: merged with nothing left to ask, or gone before. */
export const isSoAlready: ReadonlySet<string> = new Set(['VERSION_CONFLICT', 'USER_NOT_EXIST'])

export function createPromise(server: ModelServer): Promised {
  const wishes = new Map<string, Wish>()
  const before = new Map<number, OnDisk>()
  /** In the order in which they were first seen on the disk. */
  let order: string[] = []
  const keys = new Map<string, string>()
  const ends = new Map<string, Receipt['outcome']>()
  /** Whose claim the present fence is. */
  const claims = new Map<string, unknown>()
  const broken: string[] = []
  const nothing: OnDisk = { outbox: [], receipts: [], seals: [], rows: new Set() }

  const breaks = (what: string) => void broken.push(what)
  const isIn = (intent: string) =>
    [...before.values()].some(({ outbox }) => outbox.some((one) => one.intent === intent))
  const done = (intent: string) => server.idempotency.find((one) => one.intent === intent && one.state === 'done')
  const rowOf = (intent: string): Wish['row'] | undefined => {
    const row = wishes.get(intent)?.row
    // A row made here goes by the name of what made it, also after it was given a number.
    return typeof row === 'number'
      ? (server.idempotency.find((one) => one.row?.id === row && wishes.get(one.intent)?.action === 'create')?.intent ??
          row)
      : row
  }
  const ahead = (intent: string) => {
    const owner = wishes.get(intent)?.owner
    const queueKey = order.filter((other) => rowOf(other) === rowOf(intent) && wishes.get(other)?.owner === owner)
    return queueKey.slice(0, queueKey.indexOf(intent))
  }

  function left(owner: number, { intent, key }: OutboxEntry, now: OnDisk): void {
    const wish = wishes.get(intent)
    const outcome = now.receipts.find((one) => one.intent === intent)?.outcome
    if (outcome) ends.set(intent, outcome)
    // Sealed, all of it in one piece.
    if (now.seals.length > (before.get(owner)?.seals.length ?? 0) && now.outbox.length === 0) return
    if (outcome === 'done') return isTrue(intent, key)
    if (outcome === 'dropped' && wish?.will !== 'stands') return
    const refused = server.idempotency.some((one) =>
      one.state === 'void' ? one.intent === intent : one.key === key && one.state === 'refused',
    )
    if (outcome === 'refused' && refused) return
    breaks(`${intent} left the outbox with receipt ${outcome} and will ${wish?.will}`)
  }

  /** Done, says the device; so must the idempotency store, unless the row was so already when a conflict was looked at. */
  function isTrue(intent: string, key: string): void {
    const isSo = server.idempotency.some((one) => one.key === key && isSoAlready.has(one.code ?? ''))
    if (!done(intent) && !isSo) breaks(`${intent} is done for the device and not for the server`)
  }

  /** Who has lost a claim does not give back what another has on its way (protocol 12). */
  function held(entry: OutboxEntry, was: OutboxEntry, by: unknown): void {
    if (entry.fence !== was.fence) claims.set(entry.intent, by)
    const isGivenBack = was.state === 'sending' && entry.state === 'waiting' && entry.key === was.key
    if (isGivenBack && claims.get(entry.intent) !== by) breaks(`${entry.intent} was given back by who had lost it`)
  }

  /** What is changed where its row is known says which row it means, as the device had it (protocol 9). */
  function based({ intent, action, target, ifMatch }: OutboxEntry, { rows }: OnDisk): void {
    if (action !== 'create' && typeof target === 'number' && rows.has(target) && ifMatch === null)
      breaks(`${intent} says of no version what it is based on (protocol 9)`)
  }

  function stays(entry: OutboxEntry, was: OutboxEntry | undefined): void {
    const { intent, key, bytes } = entry
    const wish = wishes.get(intent)
    if (!wish) return breaks(`${intent} was never wished`)
    const isSaid = wish.said.some((said) =>
      Object.entries((entry.input.body as object | undefined) ?? {}).every(
        ([field, value]) => field === 'confirmKey' || said[field] === value,
      ),
    )
    if (!isSaid) breaks(`${intent} asks for what nobody said`)
    const should = parkedBy(entry)
    if (isParked(entry) && should !== entry.state) breaks(`${intent} stands as ${entry.state} and not as ${should}`)
    if (entry.forUser !== `${company}:${wish.owner}`) breaks(`${intent} is for ${entry.forUser}`)
    if (was?.bytes && was.key === key && JSON.stringify(was.bytes) !== JSON.stringify(bytes))
      breaks(`${intent} has other bytes under its key (protocol 2)`)
  }

  return {
    wishes,
    broken,
    wish(wish) {
      // On a row that is being taken back: it goes with it, or not, as the row does.
      const maker = typeof wish.row === 'string' ? wishes.get(wish.row) : undefined
      wishes.set(wish.intent, { ...wish, will: maker?.will ?? 'stands' })
      if (wish.action === 'delete' && maker) mayCancel(maker, wish.intent)
    },
    drop(intent) {
      const wish = wishes.get(intent)
      if (!wish) return
      wish.will = 'dropped'
      for (const other of wishes.values())
        if (wish.action === 'create' && other.row === intent && other.intent !== intent) other.will = 'dropped'
    },
    discard(owner) {
      for (const wish of wishes.values()) if (wish.owner === owner && wish.will === 'stands') wish.will = 'discarded'
    },
    committed(owner, by, now) {
      const was = before.get(owner) ?? nothing
      const here = new Set(now.outbox.map(({ intent }) => intent))
      for (const entry of was.outbox) if (!here.has(entry.intent)) left(owner, entry, now)
      for (const entry of now.outbox) {
        const same = was.outbox.find(({ intent }) => intent === entry.intent)
        stays(entry, same)
        ends.delete(entry.intent)
        const isBack = was.seals.length > now.seals.length
        if (same) held(entry, same, by)
        else if (!isBack) based(entry, now)
        // A form may come once more with what was settled meanwhile; that changes no order.
        if (!same && !isBack && !done(entry.intent))
          order = [...order.filter((intent) => intent !== entry.intent), entry.intent]
      }
      before.set(owner, now)
    },
    arrived(items) {
      for (const [at, item] of items.entries()) {
        const known = keys.get(item.key)
        const others = server.idempotency.filter((one) => one.intent === item.intent && one.key !== item.key)
        if (
          known === undefined &&
          [...keys.values()].includes(item.intent) &&
          !others.some((one) => one.state !== 'done') &&
          // Each sending of a form that is not stored has a key of its own, as calls that are never queued have.
          !wishes.get(item.intent)?.mayBeDirect &&
          !mayBeNew(item)
        )
          breaks(`${item.intent} came under a new key, and nothing was said about its old one (protocol 1)`)
        keys.set(item.key, item.intent)
        for (const first of ahead(item.intent)) {
          const together = items.slice(0, at).some(({ intent }) => intent === first) && item.after !== undefined
          if (isIn(first) && !done(first) && !together) breaks(`${item.intent} came before ${first}`)
        }
      }
    },
    endOf: (intent) => ends.get(intent),
    queueKey: (row, owner) => order.filter((intent) => rowOf(intent) === row && wishes.get(intent)?.owner === owner),
  }

  /** Made and taken away, and neither ever left: nothing of the row needs to happen (protocol 15). */
  function mayCancel({ intent, owner }: Wish, removal: string): void {
    if (server.idempotency.some((one) => one.intent === intent)) return
    for (const one of wishes.values())
      if (one.owner === owner && one.will === 'stands' && (one.row === intent || one.intent === removal))
        one.will = 'dropped'
  }

  /** Based on a write that went without having taken effect, it had to be made anew (protocol 15). */
  function mayBeNew({ intent }: Item): boolean {
    return ahead(intent).some((first) => wishes.get(first)?.will !== 'stands' || !isIn(first))
  }
}
