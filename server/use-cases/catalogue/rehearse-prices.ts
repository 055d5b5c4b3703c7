/** A price list tried on the contracts of today, before it is confirmed: asked for by its id or as it is typed, done by a long request. */
import type { ClientType } from '#domain/access.ts'
import type { PriceContent } from '#domain/checks/price-checks.ts'
import { tidyText } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import type { Id, ParsedInputOf } from '#contract/endpoint.ts'
import type { rehearsePriceList } from '#contract/prices.ts'
import { priceListById } from '#server/db/catalogue/price-lists.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { invalid, notFound } from '#server/problems/problem-error.ts'
import { beginJob } from '#server/use-cases/job-requests.ts'
import { contentOfNew, requireSound } from '#server/use-cases/catalogue/price-content.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { requireType } from '#server/use-cases/orders/client-types.ts'

/** What the long request goes by: the list as it was when it was asked about, whatever becomes of it. */
export interface RehearseInput {
  type: ClientType
  list: PriceContent
  /** The day whose contracts they are. */
  today: PlainDate
  /** Whether the caller may see who contracts are with (D49). */
  named: boolean
}

export const rehearseJob = 'rehearse-prices'

/**
 * Throws VALIDATION_ERROR for a draft that could not be kept, but for its day, which may be taken; NOT_FOUND for a list that is not
 * there; FORBIDDEN for a client type that is not the caller's.
 */
export const rehearse: UseCase<typeof rehearsePriceList> = async (context, { body }) => {
  const { id, list, progressKey } = body
  if (id !== undefined && list !== undefined) throw invalid([{ field: 'list', code: 'UNKNOWN_FIELD' }])
  if (id === undefined && list === undefined) throw invalid([{ field: 'id', code: 'REQUIRED' }])
  const asked = list === undefined ? await kept(context, id) : await typed(context, list)
  const input: RehearseInput = { ...asked, today: momentOf(context).today, named: context.caller.order }
  return beginJob(context, { kind: rehearseJob, input, progressKey })
}

type Asked = Pick<RehearseInput, 'type' | 'list'>

async function kept({ db, caller }: UseCaseContext, id: Id | undefined): Promise<Asked> {
  const found = typeof id === 'number' ? await priceListById(db, id) : null
  if (!found) throw notFound()
  requireType(caller, found.type)
  return { type: found.type, list: found.content }
}

type Typed = NonNullable<ParsedInputOf<typeof rehearsePriceList>['body']['list']>

async function typed(context: UseCaseContext, sent: Typed): Promise<Asked> {
  const { type, effective_date, desc } = sent
  requireType(context.caller, type)
  const content = contentOfNew(sent)
  await requireSound(context, { type, effective_date, description: tidyText(desc), content })
  return { type, list: content }
}
