/** Hands the outbox page what only the request pipeline can do with its entries; comes with the page and not before. */
import { lazy } from 'react'
import { ports } from '#app/connection/api.ts'
import type { Intent } from '#contract/endpoint.ts'
import { localProblem } from '#contract/problem.ts'
import { createUser, updateCompanyUser } from '#contract/users.ts'
import { Outbox } from '#features/outbox/OutboxPage.tsx'
import { isParked } from '#local/outbox/read-entries.ts'
import { readHeld, whenSettled } from '#local/outbox/status.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { findOutcome } from '#request/writes/record-write.ts'
import type { OutboxActions, Result } from '#request/results.ts'
import { currentSession } from '#request/session/current-session.ts'

const ownDesk = createOutboxActions(ports)

/** What waits for its user's password (S-48) goes after it. */
const desk: OutboxActions = {
  ...ownDesk,
  async retry(intent) {
    const { entry } = await findOutcome(ports, intent)
    if (entry?.problem?.code === 'STEP_UP_REQUIRED' && !(await ports.stepUp?.())) return true
    return await ownDesk.retry(intent)
  },
}
const MendUser = lazy(async () => ({
  default: (await import(/* chunk: users */ '#features/users/form/EditOutboxUser.tsx')).MendUser,
}))
const menders = { [createUser.name]: MendUser, [updateCompanyUser.name]: MendUser }

/** As long as a page waits for any write before it says that it is queued (protocol 21). */
const patienceMs = 3_000

/** Where the server wants the password first (S-48), the same once more after it. */
async function send(intent: Intent, asked: EntryView['input']): Promise<Result<unknown>> {
  const result = await sendOnce(intent, asked)
  if (result.kind !== 'problem' || result.problem.code !== 'STEP_UP_REQUIRED') return result
  return (await ports.stepUp?.()) ? await sendOnce(intent, asked) : result
}

/** The same wish in its old place, and what becomes of it in the next moments. */
async function sendOnce(intent: Intent, asked: EntryView['input']): Promise<Result<unknown>> {
  const now = await currentSession(ports)
  if (!now) return { kind: 'problem', problem: localProblem('NOT_STARTED'), intent }
  // Sent meanwhile: what was typed here came too late for it.
  if (!(await desk.mend(intent, asked))) return { kind: 'problem', problem: localProblem('STATE_CONFLICT'), intent }
  const { settled, stop } = whenSettled(now.db, intent)
  await Promise.race([settled, ports.wait(patienceMs)])
  stop()
  const { entry } = await findOutcome(ports, intent)
  if (!entry) return { kind: 'fresh', output: null }
  if (isParked(entry) && entry.problem) return { kind: 'problem', problem: entry.problem, intent }
  const held = await readHeld(now.db, entry)
  return { kind: 'queued', intent, ...(held ? { held } : {}) }
}

export const OwnOutbox = () => <Outbox desk={desk} menders={menders} send={send} />
