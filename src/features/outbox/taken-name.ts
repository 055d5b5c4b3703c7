/** Names that no two rows may have, as far as this device knows: a module's code, the day of a price list. */
import { endpointNamed, fillsOf, type Intent } from '#contract/endpoint.ts'
import { modulesFills } from '#contract/modules.ts'
import { priceListsFills } from '#contract/prices.ts'
import { readList } from '#local/lists/read-list.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'

/** The field of a table in which its rows' own name stands. */
const fields: Record<string, string> = {
  [modulesFills.table]: 'code',
  [priceListsFills.table]: 'effective_date',
}

/** The field whose value another row on this device has; null: none. What the server alone knows it says itself. */
export async function findTakenField(
  { endpoint, table, intent }: Pick<EntryView, 'endpoint' | 'table'> & { intent: Intent },
  body: Record<string, unknown>,
): Promise<string | null> {
  const field = fields[table]
  const list = fillsOf(table)
  const names = endpointNamed(endpoint)?.queue?.names
  if (!field || !list || !names || body[field] === undefined) return null
  const wanted = names.own(body)
  const all = { scope: null, filters: {}, sort: list.sort, page: 1, results: 1_000_000 }
  const { rows } = await readList(list, all)
  const isTaken = rows.some(
    ({ row }) => row.id !== `~${intent}` && names.own({ ...row }).some((name) => wanted.includes(name)),
  )
  return isTaken ? field : null
}
