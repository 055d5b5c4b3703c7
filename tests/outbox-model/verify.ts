/** What really happened at the server, against what was wished. */
import type { Life } from '#tests/outbox-model/life.ts'
import { isSoAlready, type Wish } from '#tests/outbox-model/guarantees.ts'

/** Each effect once, by its owner, as they said it, in the order of its lane. */
export function wrongEffects({ server, promise }: Life): string[] {
  const wrong: string[] = []
  const seen = new Set<string>()
  for (const { intent, userId, body } of server.effects) {
    const wish = promise.wishes.get(intent)
    if (seen.has(intent)) wrong.push(`${intent} took effect twice`)
    seen.add(intent)
    if (!wish || wish.owner !== userId) wrong.push(`${intent} took effect for user ${userId}`)
    const said = Object.entries(body ?? {}).every(
      ([field, value]) => field === 'confirmKey' || wish?.said.some((one) => one[field] === value),
    )
    if (!said) wrong.push(`${intent} took effect as nobody said`)
  }
  const at = new Map(server.effects.map(({ intent }, index) => [intent, index]))
  for (const { row, owner } of promise.wishes.values()) {
    const queueKey = promise.queueKey(row, owner).flatMap((intent) => at.get(intent) ?? [])
    if (queueKey.some((place, index) => place < (queueKey[index - 1] ?? -1)))
      wrong.push(`the lane of ${row} is out of order`)
  }
  return wrong
}

/** What was on the disk and is still wanted was done, once; what never was on it was not, unless it had no room there. */
export function checkEnd({ promise, server }: Life, { intent, owner, row, will, mayBeDirect }: Wish): void {
  const times = server.effects.filter((one) => one.intent === intent).length
  const isRecorded = promise.queueKey(row, owner).includes(intent)
  const end = promise.endOf(intent)
  if (!isRecorded && times > 0 && !mayBeDirect) throw new Error(`${intent} took effect and was never on the disk`)
  // Refused, and with its form again (protocol 20), which may have gone with its page.
  if (!isRecorded || will !== 'stands' || end === 'refused') return
  const wasSo = server.idempotency.some((one) => one.intent === intent && isSoAlready.has(one.code ?? ''))
  if (times !== 1 && !(wasSo && end === 'done')) throw new Error(`${intent} is lost`)
}
