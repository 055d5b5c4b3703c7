/** Checks values that must be unique against the rows on this device: a module's code, the effective date of a price list. */
import { findEndpoint, findListSpec, type Intent } from '#contract/endpoint.ts'
import { moduleListSpec } from '#contract/modules.ts'
import { priceListSpec } from '#contract/prices.ts'
import { readList } from '#local/lists/read-list.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'

const fields: Record<string, string> = {
  [moduleListSpec.table]: 'code',
  [priceListSpec.table]: 'effective_date',
}

/** Returns the field whose value another row on this device already has, or null. The server still checks all rows. */
export async function findTakenField(
  { endpoint, table, intent }: Pick<EntryView, 'endpoint' | 'table'> & { intent: Intent },
  body: Record<string, unknown>,
): Promise<string | null> {
  const field = fields[table]
  const list = findListSpec(table)
  const names = findEndpoint(endpoint)?.queue?.names
  if (!field || !list || !names || body[field] === undefined) return null
  const writeNames = names.getOwnNames(body)
  const query = { scope: null, filters: {}, sort: list.sort, page: 1, results: 1_000_000 }
  const { rows } = await readList(list, query)
  const isTaken = rows.some(
    ({ row }) => row.id !== `~${intent}` && names.getOwnNames({ ...row }).some((name) => writeNames.includes(name)),
  )
  return isTaken ? field : null
}
