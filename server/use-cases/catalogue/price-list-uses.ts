/** Counts the contracts of each price list. The staff need the numbers before they withdraw a list. */
import type { Caller } from '#domain/access.ts'
import type { OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import type { listPriceListUses } from '#contract/staff/withdrawn-price-lists.ts'
import { countPriceListUses } from '#server/db/orders/price-list-uses.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'

/** Runs as the system role, because the contracts belong to other companies. */
export async function readPriceListUses(
  app: AppContext,
  caller: Caller,
  { query: { type } }: ParsedInputOf<typeof listPriceListUses>,
): Promise<OutputOf<typeof listPriceListUses>> {
  requireType(caller, type)
  return readAsSystem(app, (db) => countPriceListUses(db, type))
}
