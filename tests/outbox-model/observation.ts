/** What a person should see: the rows as the server last told them to this device, with every wish that waits laid over. */
import { listUsers } from '#contract/users.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import { readListOn } from '#local/lists/read-list.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import type { Tab } from '#tests/outbox-model/browser.ts'
import { type Life, outboxOf, whoIsHere } from '#tests/outbox-model/life.ts'
import { company } from '#tests/support/device/device-database.ts'

/** In an order that no list asks the server for, so that what is here is all there is to be shown. */
const everything = {
  scope: company,
  filters: { includedDel: true },
  sort: ['id', 'asc'] as const,
  page: 1,
  results: 500,
}

type Seen = Record<string, unknown>

/** Throws where the screen shows something else, or where a stored row never was one of the server's. */
export async function checkSight(life: Life, tab: Tab): Promise<void> {
  const user = whoIsHere(life)
  if (user === null || life.pending.size > 0) return
  const stored = life.browser.disk.read<StoredRow>(`portal-${company}-${user}`, 'users')
  for (const { id, version, row } of stored)
    if (JSON.stringify(life.server.history.get(`${id} ${version}`)) !== JSON.stringify(row))
      throw new Error(`row ${id} in version ${version} is none of the server's`)
  const should = expected(life, stored, outboxOf(life, user))
  const list = listUsers.list
  if (!list) throw new Error('users are a list')
  const { rows } = await readListOn(await tab.ports.device(), list, everything)
  const seen = new Map(rows.map(({ row }) => [String(row.id), row as unknown as Seen]))
  const words = (all: Map<string, Seen>) =>
    JSON.stringify([...all].map(([id, { name, title, status }]) => [id, name, title, status]).toSorted())
  if (words(seen) !== words(should)) throw new Error(`seen is ${words(seen)}, and should be ${words(should)}`)
}

function expected({ server }: Life, stored: readonly StoredRow[], outbox: readonly OutboxEntry[]): Map<string, Seen> {
  const shown = new Map(stored.map(({ id, row }) => [String(id), row as unknown as Seen]))
  const making = new Set(outbox.filter(({ action }) => action === 'create').map(({ intent }) => intent))
  for (const { intent, action, target, input: asked } of outbox) {
    const body = (asked.body ?? {}) as Seen
    const named = typeof target === 'string' ? target.slice(1) : null
    const id = server.idempotency.find((one) => one.intent === named && one.state === 'done')?.row?.id
    const at = action === 'create' ? `~${intent}` : named === null || making.has(named) ? String(target) : String(id)
    const row = shown.get(at)
    if (action === 'create') shown.set(at, { name: body.name, title: body.title, status: 0 })
    else if (row) shown.set(at, { ...row, ...body, ...(action === 'delete' ? { status: -2 } : {}) })
  }
  return shown
}
