/** Compares the effects on the server with the intended writes. */
import type { Simulation } from '#tests/outbox-model/simulation.ts'
import { alreadyAppliedCodes, type IntendedWrite } from '#tests/outbox-model/guarantees.ts'

/**
 * Returns the effects that break a rule: each write takes effect at most once, for its owner, with a submitted body, and in the order of
 * its queue key.
 */
export function findWrongEffects({ server, guarantees }: Simulation): string[] {
  const faults: string[] = []
  const seenIntents = new Set<string>()
  for (const { intent, userId, body } of server.effects) {
    const write = guarantees.intendedWrites.get(intent)
    if (seenIntents.has(intent)) faults.push(`${intent} took effect twice`)
    seenIntents.add(intent)
    if (!write || write.owner !== userId) faults.push(`${intent} took effect for user ${userId}`)
    const isRequested = Object.entries(body ?? {}).every(
      ([field, value]) => field === 'confirmKey' || write?.body.some((body) => body[field] === value),
    )
    if (!isRequested) faults.push(`${intent} took effect as nobody said`)
  }
  const positions = new Map(server.effects.map(({ intent }, index) => [intent, index]))
  for (const { row, owner } of guarantees.intendedWrites.values()) {
    const queue = guarantees.listQueue(row, owner).flatMap((intent) => positions.get(intent) ?? [])
    if (queue.some((position, index) => position < (queue[index - 1] ?? -1)))
      faults.push(`the lane of ${row} is out of order`)
  }
  return faults
}

/**
 * Throws if the outcome of a write is wrong. A write that was on the disk and was neither dropped nor refused must have taken effect once.
 * A write that was never on the disk must not have taken effect, unless the disk was full.
 */
export function checkEnd(
  { guarantees, server }: Simulation,
  { intent, owner, row, expectedOutcome, isDirectAllowed }: IntendedWrite,
): void {
  const effectCount = server.effects.filter((effect) => effect.intent === intent).length
  const isRecorded = guarantees.listQueue(row, owner).includes(intent)
  const outcome = guarantees.findOutcome(intent)
  if (!isRecorded && effectCount > 0 && !isDirectAllowed)
    throw new Error(`${intent} took effect and was never on the disk`)
  // A refused write is returned to its form (protocol 20), which may have been closed with its page. So it need not take effect.
  if (!isRecorded || expectedOutcome !== 'takesEffect' || outcome === 'refused') return
  const wasAlreadyApplied = server.idempotency.some(
    (record) => record.intent === intent && alreadyAppliedCodes.has(record.code ?? ''),
  )
  if (effectCount !== 1 && !(wasAlreadyApplied && outcome === 'done')) throw new Error(`${intent} is lost`)
}
