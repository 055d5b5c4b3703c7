/**
 * Checks the guarantees of the outbox without a database. It knows the intended writes, the order of each queue key, and the outcome that
 * each user expects. It is called for every commit of the device and every request that arrives at the server, and records each violation:
 * - An entry leaves the outbox only if it is accepted, refused, dropped or sealed.
 * - No write overtakes an earlier one of the same row.
 * - No write is executed for another user.
 * - The outcome of each receipt is the outcome on the server.
 */
import type { OutboxEntry, Receipt, SealedWrites } from '#local/storage/records.ts'
import type { ModelRequest, ModelServer } from '#tests/outbox-model/server.ts'
import { companyId } from '#tests/support/device/device-database.ts'

export type ExpectedOutcome = 'takesEffect' | 'dropped' | 'discarded'

export interface IntendedWrite {
  intent: string
  owner: number
  action: OutboxEntry['action']
  /** The row's id, or the intent that creates the row. */
  row: string | number
  /** All bodies that the user has submitted, the latest one last. */
  body: Record<string, unknown>[]
  expectedOutcome: ExpectedOutcome
  /** True if the form was sent while the disk was full. The write may then take effect without being stored on the disk. */
  isDirectAllowed?: boolean
}

/** The committed records of one user. */
export interface DiskContent {
  outbox: readonly OutboxEntry[]
  receipts: readonly Receipt[]
  seals: readonly SealedWrites[]
  /** Ids of the cached rows. */
  rows: ReadonlySet<number>
}

export interface GuaranteeChecker {
  intendedWrites: Map<string, IntendedWrite>
  violations: string[]
  recordWrite(write: Omit<IntendedWrite, 'expectedOutcome'>): void
  /** Called if the user drops the write. If it creates a row, all other writes of this row are dropped too. */
  drop(intent: string): void
  discard(owner: number): void
  /** Called after every commit, with the user's records on the disk. */
  onCommit(owner: number, process: unknown, now: DiskContent): void
  /** Called before the server executes the writes of one request. */
  onArrival(items: readonly ModelRequest[]): void
  /**
   * Returns the outcome with which the intent last left the outbox, or undefined if it is in the outbox or never left it. Receipts on the
   * disk cannot be used for this, because they can be sealed.
   */
  findOutcome(intent: string): Receipt['outcome'] | undefined
  /** Returns the intents of one row, in the order in which they were stored on the disk. */
  listQueue(row: IntendedWrite['row'], owner: number): string[]
}

const isParked = ({ state }: OutboxEntry) => ['refused', 'asks', 'conflict'].includes(state)

/** Returns the state that the entry must have, by the status and code of its problem. */
function getParkedState({ problem, action, bytes }: OutboxEntry): OutboxEntry['state'] {
  if (problem?.code === 'APP_CONFIRM') return 'asks'
  if (problem?.status === 412) return 'conflict'
  return problem?.status === 404 && action === 'change' && bytes?.method === 'PUT' ? 'conflict' : 'refused'
}

/** Codes of refusals after which the device may find that the change is already applied, or that the row was already deleted. */
export const alreadyAppliedCodes: ReadonlySet<string> = new Set(['VERSION_CONFLICT', 'USER_NOT_EXIST'])

export function createGuaranteeChecker(server: ModelServer): GuaranteeChecker {
  const intendedWrites = new Map<string, IntendedWrite>()
  const contentByOwner = new Map<number, DiskContent>()
  /** Intents in the order in which they were first stored on the disk. */
  let intentOrder: string[] = []
  const keys = new Map<string, string>()
  const outcomes = new Map<string, Receipt['outcome']>()
  /** Process that holds the claim with the current fence, by intent. */
  const claims = new Map<string, unknown>()
  const violations: string[] = []
  const emptyContent: DiskContent = { outbox: [], receipts: [], seals: [], rows: new Set() }

  const reportViolation = (violation: string) => void violations.push(violation)
  const isInOutbox = (intent: string) =>
    [...contentByOwner.values()].some(({ outbox }) => outbox.some((entry) => entry.intent === intent))
  const findDone = (intent: string) =>
    server.idempotency.find((record) => record.intent === intent && record.state === 'done')
  const getRow = (intent: string): IntendedWrite['row'] | undefined => {
    const row = intendedWrites.get(intent)?.row
    // A created row is identified by its intent, even after it got an id.
    return typeof row === 'number'
      ? (server.idempotency.find(
          (record) => record.row?.id === row && intendedWrites.get(record.intent)?.action === 'create',
        )?.intent ?? row)
      : row
  }
  const findEarlier = (intent: string) => {
    const owner = intendedWrites.get(intent)?.owner
    const queue = intentOrder.filter(
      (other) => getRow(other) === getRow(intent) && intendedWrites.get(other)?.owner === owner,
    )
    return queue.slice(0, queue.indexOf(intent))
  }

  function checkRemoved(owner: number, { intent, key }: OutboxEntry, now: DiskContent): void {
    const write = intendedWrites.get(intent)
    const outcome = now.receipts.find((receipt) => receipt.intent === intent)?.outcome
    if (outcome) outcomes.set(intent, outcome)
    // The outbox is empty and there is a new seal, so all entries were sealed together.
    if (now.seals.length > (contentByOwner.get(owner)?.seals.length ?? 0) && now.outbox.length === 0) return
    if (outcome === 'done') return checkDone(intent, key)
    if (outcome === 'dropped' && write?.expectedOutcome !== 'takesEffect') return
    const isRefused = server.idempotency.some((record) =>
      record.state === 'void' ? record.intent === intent : record.key === key && record.state === 'refused',
    )
    if (outcome === 'refused' && isRefused) return
    reportViolation(`${intent} left the outbox with receipt ${outcome} and will ${write?.expectedOutcome}`)
  }

  /** If the device reports a write as done, the server must have recorded it as done, unless the change was already applied. */
  function checkDone(intent: string, key: string): void {
    const isAlreadyApplied = server.idempotency.some(
      (record) => record.key === key && alreadyAppliedCodes.has(record.code ?? ''),
    )
    if (!findDone(intent) && !isAlreadyApplied)
      reportViolation(`${intent} is done for the device and not for the server`)
  }

  /** A sender that lost its claim must not return an entry that another sender is sending (protocol 12). */
  function checkRetained(entry: OutboxEntry, previous: OutboxEntry, process: unknown): void {
    if (entry.fence !== previous.fence) claims.set(entry.intent, process)
    const isGivenBack = previous.state === 'sending' && entry.state === 'waiting' && entry.key === previous.key
    if (isGivenBack && claims.get(entry.intent) !== process)
      reportViolation(`${entry.intent} was given back by who had lost it`)
  }

  /** A change of a cached row must contain the row version on which it is based (protocol 9). */
  function checkBase({ intent, action, target, ifMatch }: OutboxEntry, { rows }: DiskContent): void {
    if (action !== 'create' && typeof target === 'number' && rows.has(target) && ifMatch === null)
      reportViolation(`${intent} says of no version what it is based on (protocol 9)`)
  }

  function checkStored(entry: OutboxEntry, previous: OutboxEntry | undefined): void {
    const { intent, key, bytes } = entry
    const write = intendedWrites.get(intent)
    if (!write) return reportViolation(`${intent} was never wished`)
    const isRequested = write.body.some((body) =>
      Object.entries((entry.input.body as object | undefined) ?? {}).every(
        ([field, value]) => field === 'confirmKey' || body[field] === value,
      ),
    )
    if (!isRequested) reportViolation(`${intent} asks for what nobody said`)
    const expectedState = getParkedState(entry)
    if (isParked(entry) && expectedState !== entry.state)
      reportViolation(`${intent} stands as ${entry.state} and not as ${expectedState}`)
    if (entry.forUser !== `${companyId}:${write.owner}`) reportViolation(`${intent} is for ${entry.forUser}`)
    if (previous?.bytes && previous.key === key && JSON.stringify(previous.bytes) !== JSON.stringify(bytes))
      reportViolation(`${intent} has other bytes under its key (protocol 2)`)
  }

  return {
    intendedWrites,
    violations,
    recordWrite(write) {
      // A write to a row whose creation is being dropped has the same expected outcome as the creation.
      const creation = typeof write.row === 'string' ? intendedWrites.get(write.row) : undefined
      intendedWrites.set(write.intent, { ...write, expectedOutcome: creation?.expectedOutcome ?? 'takesEffect' })
      if (write.action === 'delete' && creation) allowCancelling(creation, write.intent)
    },
    drop(intent) {
      const write = intendedWrites.get(intent)
      if (!write) return
      write.expectedOutcome = 'dropped'
      for (const other of intendedWrites.values())
        if (write.action === 'create' && other.row === intent && other.intent !== intent)
          other.expectedOutcome = 'dropped'
    },
    discard(owner) {
      for (const write of intendedWrites.values())
        if (write.owner === owner && write.expectedOutcome === 'takesEffect') write.expectedOutcome = 'discarded'
    },
    onCommit(owner, process, now) {
      const previous = contentByOwner.get(owner) ?? emptyContent
      const storedIntents = new Set(now.outbox.map(({ intent }) => intent))
      for (const entry of previous.outbox) if (!storedIntents.has(entry.intent)) checkRemoved(owner, entry, now)
      for (const entry of now.outbox) {
        const previousEntry = previous.outbox.find(({ intent }) => intent === entry.intent)
        checkStored(entry, previousEntry)
        outcomes.delete(entry.intent)
        const isUnsealed = previous.seals.length > now.seals.length
        if (previousEntry) checkRetained(entry, previousEntry, process)
        else if (!isUnsealed) checkBase(entry, now)
        // A form may submit a write again that was done meanwhile. This does not change the order.
        if (!previousEntry && !isUnsealed && !findDone(entry.intent))
          intentOrder = [...intentOrder.filter((intent) => intent !== entry.intent), entry.intent]
      }
      contentByOwner.set(owner, now)
    },
    onArrival(items) {
      for (const [index, item] of items.entries()) {
        const knownIntent = keys.get(item.key)
        const otherRecords = server.idempotency.filter(
          (record) => record.intent === item.intent && record.key !== item.key,
        )
        if (
          knownIntent === undefined &&
          [...keys.values()].includes(item.intent) &&
          !otherRecords.some((record) => record.state !== 'done') &&
          // A form that is not stored has a new key for each attempt, like a direct call.
          !intendedWrites.get(item.intent)?.isDirectAllowed &&
          !canHaveNewKey(item)
        )
          reportViolation(`${item.intent} came under a new key, and nothing was said about its old one (protocol 1)`)
        keys.set(item.key, item.intent)
        for (const earlierIntent of findEarlier(item.intent)) {
          const isSentTogether =
            items.slice(0, index).some(({ intent }) => intent === earlierIntent) && item.after !== undefined
          if (isInOutbox(earlierIntent) && !findDone(earlierIntent) && !isSentTogether)
            reportViolation(`${item.intent} came before ${earlierIntent}`)
        }
      }
    },
    findOutcome: (intent) => outcomes.get(intent),
    listQueue: (row, owner) =>
      intentOrder.filter((intent) => getRow(intent) === row && intendedWrites.get(intent)?.owner === owner),
  }

  /**
   * Called if a user deletes a row that they have created. If the server has not received the creation, all writes of the row may be
   * dropped, because nothing needs to happen on the server (protocol 15).
   */
  function allowCancelling({ intent, owner }: IntendedWrite, removal: string): void {
    if (server.idempotency.some((record) => record.intent === intent)) return
    for (const write of intendedWrites.values())
      if (
        write.owner === owner &&
        write.expectedOutcome === 'takesEffect' &&
        (write.row === intent || write.intent === removal)
      )
        write.expectedOutcome = 'dropped'
  }

  /**
   * Returns true if an earlier write of the row was removed without an effect. Later writes are then frozen again with a new key (protocol
   * 15).
   */
  function canHaveNewKey({ intent }: ModelRequest): boolean {
    return findEarlier(intent).some(
      (earlierIntent) =>
        intendedWrites.get(earlierIntent)?.expectedOutcome !== 'takesEffect' || !isInOutbox(earlierIntent),
    )
  }
}
