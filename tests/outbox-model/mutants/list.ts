/**
 * Faults that are put into the product on purpose, each of a kind that outboxes have had. The models must detect them. A test checks that
 * `from` occurs once in `file`, so a mutant cannot outlive the code that it changes.
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
    name: 'deleted before it is acknowledged',
    file: 'src/local/outbox/claim.ts',
    from: claimedCode,
    to: `${claimedCode}    await db.outbox.bulkDelete(claimedEntries.map(({ intent }) => intent))\n`,
  },
  { name: 'a new key for each attempt', file: 'src/local/outbox/claim.ts', from: frozenCode, to: renamedCode },
  {
    name: 'new bytes for each attempt',
    file: 'src/local/outbox/claim.ts',
    from: 'entry.bytes ?? freezeRequest(entry)',
    to: 'freezeRequest({ ...entry, input: { ...entry.input, body: { ...(entry.input.body as object), attempts: entry.attempts } } })',
  },
  { name: 'no fence', file: 'src/local/outbox/settle-entry.ts', from: ' && storedEntry.fence === entry.fence', to: '' },
  {
    name: 'judged by the words of the message',
    file: 'src/request/writes/apply-response.ts',
    from: 'isSuccess(response) ? null : toProblem(response).code',
    to: 'isSuccess(response) ? null : toProblem(response).message',
  },
  {
    name: 'ordered by the clock',
    file: 'src/local/outbox/enqueue.ts',
    from: 'existingEntry?.seq ?? context.lastSeq + 1',
    to: 'existingEntry?.seq ?? draft.since + Math.random()',
  },
  {
    name: 'what is parked does not hold its lane',
    file: 'src/local/outbox/claim.ts',
    from: 'openQueues.set(entry.queueKey, isReady && options.isChained === true)',
    to: 'openQueues.set(entry.queueKey, !isReady || options.isChained === true)',
  },
  {
    name: 'any answer with a good number is taken for accepted',
    file: 'src/contract/verdict.ts',
    from: "  if (!facts.echoed) return 'later'\n",
    to: "  if (status < 300) return 'done'\n  if (!facts.echoed) return 'later'\n",
  },
  {
    name: 'a refusal is dropped without telling',
    file: 'src/local/outbox/settle-entry.ts',
    from: 'return await updateEntry(db, entry, isCurrentEntry, { state, problem, leaseUntil: 0 })',
    to: 'return Boolean(isCurrentEntry) && (await db.outbox.delete(entry.intent), true)',
  },
  {
    name: 'based on nothing once the row is quiet',
    file: 'src/local/outbox/enqueue-context.ts',
    from: 'return latestIntent === undefined ? context.getRowVersion(draft) : `~${latestIntent}`',
    to: 'return latestIntent === undefined ? null : `~${latestIntent}`',
  },
  {
    name: 'sent for whoever is signed in',
    file: 'src/request/writes/record-write.ts',
    from: '[headers.forUser]: entry.forUser',
    to: "[headers.forUser]: '7:2'",
  },
]
