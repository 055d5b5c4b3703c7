/** Makes the writes of a user in the forms of a tab. Each write is recorded as intended before it is called. */
import type { RowRef } from '#contract/endpoint.ts'
import { createUser, deleteUser, updateCompanyUser } from '#contract/users.ts'
import { getBaseVersion } from '#local/lists/list-view.ts'
import { readRowOnDevice } from '#local/lists/read-row.ts'
import type { RowId } from '#local/storage/records.ts'
import type { CallResult } from '#request/call-results.ts'
import type { IntendedWrite } from '#tests/outbox-model/guarantees.ts'
import type { ModelAction, NameWord } from '#tests/outbox-model/model-actions.ts'
import { findSignedInUser, getDatabaseName, getTab, type Simulation } from '#tests/outbox-model/simulation.ts'

const titles: Record<NameWord, number> = { good: 1, bad: 2, ask: 0 }

export async function createRow(simulation: Simulation, { tab, word }: { tab: number; word: NameWord }): Promise<void> {
  const intent = simulation.newId()
  const body = { title: 0 as const, name: `${word} ${intent.slice(-4)}`, email: `${intent}@acme.example` }
  recordWrite(simulation, { intent, action: 'create', row: intent, body: [body] })
  checkResult(simulation, intent, await getTab(simulation, tab).api.call(createUser, { body }, { intent }))
}

/** Returns the rows that a user can pick: two rows of the server, and all rows that the user has created. */
function listRows(simulation: Simulation): IntendedWrite['row'][] {
  const owner = findSignedInUser(simulation)
  const createdWrites = [...simulation.guarantees.intendedWrites.values()].filter(
    (write) => write.action === 'create' && write.owner === owner,
  )
  return [2, 3, ...createdWrites.map(({ intent }) => intent)]
}

function pickRow(simulation: Simulation, index: number): { row: IntendedWrite['row']; target: RowRef } {
  const all = listRows(simulation)
  const row = all[index % all.length] ?? 2
  if (typeof row === 'number') return { row, target: row }
  // If the device has stored the id of a created row, every second index uses the id, and all others use the intent.
  const names = simulation.browser.disk.read<RowId>(getDatabaseName(findSignedInUser(simulation) ?? 0), 'rowIds')
  const id = names.find(({ intent }) => intent === row)?.id
  return { row, target: id !== undefined && index % 2 === 0 ? id : `~${row}` }
}

export async function changeRow(simulation: Simulation, action: ModelAction & { kind: 'change' }): Promise<void> {
  const { row, target } = pickRow(simulation, action.at)
  const tab = getTab(simulation, action.tab)
  const intent = simulation.newId()
  const body =
    action.field === 'name'
      ? { name: `${action.word} ${intent.slice(-4)}` }
      : { title: titles[action.word] as 0 | 1 | 2 }
  recordWrite(simulation, { intent, action: 'change', row, body: [body] })
  const cachedRow = action.hasBase ? await readRowOnDevice(await tab.ports.device(), 'users', target) : null
  const values = Object.fromEntries(
    Object.keys(body).map((field) => [
      field,
      (cachedRow?.row as unknown as Record<string, unknown> | undefined)?.[field],
    ]),
  )
  const base = cachedRow ? { base: { rowVersion: getBaseVersion(cachedRow), values } } : {}
  checkResult(
    simulation,
    intent,
    await tab.api.call(updateCompanyUser, { params: { id: target }, body }, { intent, ...base }),
  )
}

export async function removeRow(
  simulation: Simulation,
  { tab, at: index }: { tab: number; at: number },
): Promise<void> {
  const { row, target } = pickRow(simulation, index)
  const intent = simulation.newId()
  recordWrite(simulation, { intent, action: 'delete', row, body: [{}] })
  checkResult(
    simulation,
    intent,
    await getTab(simulation, tab).api.call(deleteUser, { params: { id: target } }, { intent }),
  )
}

function recordWrite(simulation: Simulation, write: Omit<IntendedWrite, 'expectedOutcome' | 'owner'>): void {
  simulation.guarantees.recordWrite({
    ...write,
    owner: findSignedInUser(simulation) ?? 0,
    isDirectAllowed: simulation.browser.disk.isFull,
  })
}

function checkResult(simulation: Simulation, intent: string, result: CallResult<unknown>): void {
  if (result.kind === 'problem' && result.intent && result.problem.status > 0) simulation.forms.push(intent)
  if (result.kind !== 'queued') return
  const owner = simulation.guarantees.intendedWrites.get(intent)?.owner ?? 0
  if (
    !simulation.guarantees.listQueue(simulation.guarantees.intendedWrites.get(intent)?.row ?? 0, owner).includes(intent)
  )
    simulation.guarantees.violations.push(`${intent} is called queued, and never was on the disk`)
}

/** Sends a refused form again with corrected values and the same intent. */
export async function sendForm(simulation: Simulation, tab: number): Promise<void> {
  const intent = simulation.forms.find(
    (intent) => simulation.guarantees.intendedWrites.get(intent)?.owner === findSignedInUser(simulation),
  )
  const write = intent === undefined ? undefined : simulation.guarantees.intendedWrites.get(intent)
  if (!intent || !write) return
  simulation.forms = simulation.forms.filter((otherIntent) => otherIntent !== intent)
  write.isDirectAllowed ||= simulation.browser.disk.isFull
  const body = fixBody(write, intent)
  const { api } = getTab(simulation, tab)
  const id = typeof write.row === 'number' ? write.row : (`~${write.row}` as const)
  if (write.action === 'create')
    checkResult(simulation, intent, await api.call(createUser, { body: body as never }, { intent }))
  if (write.action === 'change')
    checkResult(simulation, intent, await api.call(updateCompanyUser, { params: { id }, body }, { intent }))
  if (write.action === 'delete')
    checkResult(simulation, intent, await api.call(deleteUser, { params: { id } }, { intent }))
}

export function fixBody(write: IntendedWrite, intent: string): Record<string, unknown> {
  const lastBody = write.body.at(-1) ?? {}
  const body = 'name' in lastBody ? { ...lastBody, name: `good ${intent.slice(-4)}` } : lastBody
  write.body.push(body)
  return body
}
