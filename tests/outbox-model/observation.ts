/** Compares the list on the screen with the rows that a user should see: the cached rows, with all waiting writes applied. */
import { listUsers } from '#contract/users.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import type { ModelTab } from '#tests/outbox-model/browser.ts'
import { type Simulation, readOutbox, findSignedInUser } from '#tests/outbox-model/simulation.ts'
import { companyId } from '#tests/support/device/device-database.ts'

/** Query of all users in an order that no request to the server has. So the device responds with all cached rows. */
const allUsersQuery = {
  scope: companyId,
  filters: { includedDel: true },
  sort: ['id', 'asc'] as const,
  page: 1,
  results: 500,
}

type SeenRow = Record<string, unknown>

/** Throws if the list does not have the expected rows, or if a cached row never existed on the server. */
export async function checkView(simulation: Simulation, tab: ModelTab): Promise<void> {
  const user = findSignedInUser(simulation)
  if (user === null || simulation.pending.size > 0) return
  const stored = simulation.browser.disk.read<StoredRow>(`portal-${companyId}-${user}`, 'users')
  for (const { id, version, row } of stored)
    if (JSON.stringify(simulation.server.history.get(`${id} ${version}`)) !== JSON.stringify(row))
      throw new Error(`row ${id} in version ${version} is none of the server's`)
  const expectedRows = buildExpectedRows(simulation, stored, readOutbox(simulation, user))
  const list = listUsers.list
  if (!list) throw new Error('users are a list')
  const { rows } = await readListOnDevice(await tab.ports.device(), list, allUsersQuery)
  const seenRows = new Map(rows.map(({ row }) => [String(row.id), row as unknown as SeenRow]))
  const toText = (rowsToCompare: Map<string, SeenRow>) =>
    JSON.stringify([...rowsToCompare].map(([id, { name, title, status }]) => [id, name, title, status]).toSorted())
  if (toText(seenRows) !== toText(expectedRows))
    throw new Error(`seen is ${toText(seenRows)}, and should be ${toText(expectedRows)}`)
}

function buildExpectedRows(
  { server }: Simulation,
  stored: readonly StoredRow[],
  outbox: readonly OutboxEntry[],
): Map<string, SeenRow> {
  const expectedById = new Map(stored.map(({ id, row }) => [String(id), row as unknown as SeenRow]))
  const createdIntents = new Set(outbox.filter(({ action }) => action === 'create').map(({ intent }) => intent))
  for (const { intent, action, target, input } of outbox) {
    const body = (input.body ?? {}) as SeenRow
    const namedIntent = typeof target === 'string' ? target.slice(1) : null
    const id = server.idempotency.find((record) => record.intent === namedIntent && record.state === 'done')?.row?.id
    const rowId =
      action === 'create'
        ? `~${intent}`
        : namedIntent === null || createdIntents.has(namedIntent)
          ? String(target)
          : String(id)
    const row = expectedById.get(rowId)
    if (action === 'create') expectedById.set(rowId, { name: body.name, title: body.title, status: 0 })
    else if (row) expectedById.set(rowId, { ...row, ...body, ...(action === 'delete' ? { status: -2 } : {}) })
  }
  return expectedById
}
