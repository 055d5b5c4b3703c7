/** Writes as a campaign plans them, and what it learns of each: recorded on a device, told to a page. */
import { randomUUID } from 'node:crypto'
import type { PlannedWrite, WriteProgress } from '#tests/support/device/rig/rig.ts'

/** Writes on one user, in the order in which somebody makes them. */
export interface WriteQueue {
  /** The intent that makes the user: what the lane is called from beginning to end. */
  creationIntent: string
  writes: PlannedWrite[]
}

export interface WritePlan {
  queues: Map<string, WriteQueue>
  /** Must take effect. What was asked and is not in here may or may not: the browser died between. */
  recorded: Set<string>
  /** A page was told that the server has it. */
  acknowledged: Set<string>
  /** What a page was told was wrong with a write that nothing is wrong with. */
  problems: string[]
  /** A new user, made and then renamed so many times, named by the write that makes it. */
  addQueue(renamings: number): WriteQueue
  /** The same user again, by its number where one is known. Only the further writes are in the answer. */
  extendQueue(creationIntent: string, renamings: number, id: number | null): WriteQueue
  recordProgress(progress: WriteProgress): void
}

/** `canary` is in every name: found on a device that is somebody else's by now, it tells that something leaked. */
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
      if (!queue) throw new Error(`no lane is called ${creationIntent}`)
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
