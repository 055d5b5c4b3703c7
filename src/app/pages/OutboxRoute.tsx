/** Connects the outbox page to the actions of the request pipeline. Loaded with the page and not earlier. */
import { lazy } from 'react'
import { ports } from '#app/connection/api.ts'
import type { Intent } from '#contract/endpoint.ts'
import { createLocalProblem } from '#contract/problem.ts'
import { createUser, updateCompanyUser } from '#contract/users.ts'
import { OutboxPage } from '#features/outbox/pages/OutboxPage.tsx'
import { isParked } from '#local/outbox/read-entries.ts'
import { readHoldReason, waitUntilSettled } from '#local/outbox/status.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { findOutcome } from '#request/writes/record-write.ts'
import type { OutboxActions, CallResult } from '#request/call-results.ts'
import { readCurrentSession } from '#request/session/current-session.ts'

const ownActions = createOutboxActions(ports)

/** A write that needs its user's password (S-48) is resent after the password was confirmed. */
const actions: OutboxActions = {
  ...ownActions,
  async retry(intent) {
    const { entry } = await findOutcome(ports, intent)
    if (entry?.problem?.code === 'STEP_UP_REQUIRED' && !(await ports.stepUp?.())) return true
    return await ownActions.retry(intent)
  },
}
const FixUserForm = lazy(async () => ({
  default: (await import(/* chunk: users */ '#features/users/form/EditOutboxUser.tsx')).EditOutboxUser,
}))
const fixForms = { [createUser.name]: FixUserForm, [updateCompanyUser.name]: FixUserForm }

/** How long the form waits for the outcome of a write before it shows the write as queued, in ms. Equal on all pages (protocol 21). */
const maxWaitMs = 3_000

/** If the server requires the password first (S-48), sends the write once more after it was confirmed. */
async function send(intent: Intent, input: EntryView['input']): Promise<CallResult<unknown>> {
  const result = await sendOnce(intent, input)
  if (result.kind !== 'problem' || result.problem.code !== 'STEP_UP_REQUIRED') return result
  return (await ports.stepUp?.()) ? await sendOnce(intent, input) : result
}

async function sendOnce(intent: Intent, input: EntryView['input']): Promise<CallResult<unknown>> {
  const session = await readCurrentSession(ports)
  if (!session) return { kind: 'problem', problem: createLocalProblem('NOT_STARTED'), intent }
  // Sent meanwhile, so the correction came too late.
  if (!(await actions.fix(intent, input)))
    return { kind: 'problem', problem: createLocalProblem('STATE_CONFLICT'), intent }
  const { settled, stop } = waitUntilSettled(session.db, intent)
  await Promise.race([settled, ports.wait(maxWaitMs)])
  stop()
  const { entry } = await findOutcome(ports, intent)
  if (!entry) return { kind: 'fresh', output: null }
  if (isParked(entry) && entry.problem) return { kind: 'problem', problem: entry.problem, intent }
  const holdReason = await readHoldReason(session.db, entry)
  return { kind: 'queued', intent, ...(holdReason ? { holdReason } : {}) }
}

export const OutboxRoute = () => <OutboxPage actions={actions} editForms={fixForms} send={send} />
