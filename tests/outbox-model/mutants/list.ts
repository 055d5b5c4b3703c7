/**
 * Lists faults that a campaign inserts into the product. Each is of a kind that has occurred in outboxes, and the models must detect it. A
 * test checks that `from` occurs once in `file`, so that no mutant remains after its code has changed.
 */
export interface Mutant {
  name: string
  file: string
  from: string
  to: string
}

const claimedCode = '    await db.outbox.bulkPut(claimedEntries)\n'
const frozenCode = '({ ...entry, bytes: entry.bytes ?? freezeRequest(entry) })'
const renamedCode = `{
  const renamedEntry = { ...entry, key: entry.attempts === 0 ? entry.key : crypto.randomUUID() }
  return { ...renamedEntry, bytes: freezeRequest(renamedEntry) }
}`

export const mutants: readonly Mutant[] = [
  {
    name: 'an entry is deleted before the server has accepted it',
    file: 'src/local/outbox/claim.ts',
    from: claimedCode,
    to: `${claimedCode}    await db.outbox.bulkDelete(claimedEntries.map(({ intent }) => intent))\n`,
  },
  { name: 'each attempt has a new key', file: 'src/local/outbox/claim.ts', from: frozenCode, to: renamedCode },
  {
    name: 'each attempt has other bytes',
    file: 'src/local/outbox/claim.ts',
    from: 'entry.bytes ?? freezeRequest(entry)',
    to: 'freezeRequest({ ...entry, input: { ...entry.input, body: { ...(entry.input.body as object), attempts: entry.attempts } } })',
  },
  {
    name: 'a result is stored without a check of the fence',
    file: 'src/local/outbox/settle-entry.ts',
    from: ' && storedEntry.fence === entry.fence',
    to: '',
  },
  {
    name: 'the verdict depends on the text of the message',
    file: 'src/request/writes/apply-response.ts',
    from: 'isSuccess(response) ? null : toProblem(response).code',
    to: 'isSuccess(response) ? null : toProblem(response).message',
  },
  {
    name: 'entries are ordered by the clock',
    file: 'src/local/outbox/enqueue.ts',
    from: 'existingEntry?.seq ?? context.lastSeq + 1',
    to: 'existingEntry?.seq ?? draft.since + Math.random()',
  },
  {
    name: 'a parked entry does not block its queue key',
    file: 'src/local/outbox/claim.ts',
    from: 'openQueues.set(entry.queueKey, isReady && options.isChained === true)',
    to: 'openQueues.set(entry.queueKey, !isReady || options.isChained === true)',
  },
  {
    name: 'every 2xx response means accepted',
    file: 'src/contract/verdict.ts',
    from: "  if (!facts.echoed) return 'later'\n",
    to: "  if (status < 300) return 'done'\n  if (!facts.echoed) return 'later'\n",
  },
  {
    name: 'a refused entry is deleted without a notice to its user',
    file: 'src/local/outbox/settle-entry.ts',
    from: 'return await updateEntry(db, entry, isCurrentEntry, { state, problem, leaseUntil: 0 })',
    to: 'return Boolean(isCurrentEntry) && (await db.outbox.delete(entry.intent), true)',
  },
  {
    name: 'a change has no base version if no other write of the row waits',
    file: 'src/local/outbox/enqueue-context.ts',
    from: 'return latestIntent === undefined ? context.getRowVersion(draft) : `~${latestIntent}`',
    to: 'return latestIntent === undefined ? null : `~${latestIntent}`',
  },
  {
    name: 'every write is sent for the same user',
    file: 'src/request/writes/record-write.ts',
    from: '[headers.forUser]: entry.forUser',
    to: "[headers.forUser]: '7:2'",
  },
]
