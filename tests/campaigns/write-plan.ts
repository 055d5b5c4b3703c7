/** Plans the writes of a campaign and follows their progress: recorded on a device, acknowledged to a page. */
import { randomUUID } from 'node:crypto'
import type { PlannedWrite, WriteProgress } from '#tests/support/device/rig/rig.ts'

/** Writes on one user, in order. */
export interface WriteQueue {
  /** The intent that creates the user. It identifies the queue. */
  creationIntent: string
  writes: PlannedWrite[]
}

export interface WritePlan {
  queues: Map<string, WriteQueue>
  /** Writes that must take effect. Unrecorded writes may or may not take effect, because the browser was killed meanwhile. */
  recorded: Set<string>
  /** Writes that the server has acknowledged to a page. */
  acknowledged: Set<string>
  /** Problems that pages showed for valid writes. */
  problems: string[]
  /** Adds a queue that creates a user and renames it the given number of times. The renames refer to the user by the creating intent. */
  addQueue(renamings: number): WriteQueue
  /** Adds writes on the same user, by its id if known. The returned queue contains only these writes. */
  extendQueue(creationIntent: string, renamings: number, id: number | null): WriteQueue
  recordProgress(progress: WriteProgress): void
}

/** Creates an empty plan. `canary` is part of every name. If a second user's device contains it, data of the first user has leaked. */
export function createWritePlan(canary = 'Weathered'): WritePlan {
  let writeCount = 0

  function planWrite(intent: string, target: PlannedWrite['target']): PlannedWrite {
    writeCount += 1
    return {
      intent,
      target,
      name: `${canary} ${writeCount}`,
      email: target === null ? `weather-${intent}@acme.example` : '',
    }
  }

  const planRenamings = (count: number, target: PlannedWrite['target']) =>
    Array.from({ length: count }, () => planWrite(randomUUID(), target))

  const plan: WritePlan = {
    queues: new Map(),
    recorded: new Set(),
    acknowledged: new Set(),
    problems: [],
    addQueue(count) {
      const creationIntent = randomUUID()
      const queue = {
        creationIntent,
        writes: [planWrite(creationIntent, null), ...planRenamings(count, `~${creationIntent}`)],
      }
      plan.queues.set(creationIntent, queue)
      return queue
    },
    extendQueue(creationIntent, count, id) {
      const queue = plan.queues.get(creationIntent)
      if (!queue) throw new Error(`no queue exists for ${creationIntent}`)
      const addedWrites = planRenamings(count, id ?? `~${creationIntent}`)
      queue.writes.push(...addedWrites)
      return { creationIntent, writes: addedWrites }
    },
    recordProgress({ intent, outcome, problem }) {
      if (outcome === 'problem') plan.problems.push(`${intent}: ${problem}`)
      else plan.recorded.add(intent)
      if (outcome === 'fresh') plan.acknowledged.add(intent)
    },
  }
  return plan
}
