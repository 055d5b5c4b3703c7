/** A price list tried on the contracts of today, before it is confirmed: asked for by its id or as it is typed, done by a long request. */
import type { ClientType } from '#domain/access.ts'
import type { PriceContent } from '#domain/checks/price-checks.ts'
import { cleanText } from '#domain/text.ts'
import type { PlainDate } from '#domain/time.ts'
import type { RowRef, ParsedInputOf } from '#contract/endpoint.ts'
import type { rehearsePriceList } from '#contract/prices.ts'
import { findPriceListById } from '#server/db/catalogue/price-lists.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { createValidationProblem, createNotFoundProblem } from '#server/problems/problem-error.ts'
import { startJob } from '#server/use-cases/job-requests.ts'
import { buildNewContent, requireValidDraft } from '#server/use-cases/catalogue/price-content.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
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
export const startRehearsal: UseCase<typeof rehearsePriceList> = async (context, { body }) => {
  const { id, list, progressKey } = body
  if (id !== undefined && list !== undefined) throw createValidationProblem([{ field: 'list', code: 'UNKNOWN_FIELD' }])
  if (id === undefined && list === undefined) throw createValidationProblem([{ field: 'id', code: 'REQUIRED' }])
  const rehearsedList =
    list === undefined ? await readRehearsedList(context, id) : await checkRehearsedDraft(context, list)
  const input: RehearseInput = {
    ...rehearsedList,
    today: getBusinessMoment(context).today,
    named: context.caller.order,
  }
  return startJob(context, { kind: rehearseJob, input, progressKey })
}

type RehearsedList = Pick<RehearseInput, 'type' | 'list'>

async function readRehearsedList({ db, caller }: UseCaseContext, id: RowRef | undefined): Promise<RehearsedList> {
  const priceList = typeof id === 'number' ? await findPriceListById(db, id) : null
  if (!priceList) throw createNotFoundProblem()
  requireType(caller, priceList.type)
  return { type: priceList.type, list: priceList.content }
}

type DraftInput = NonNullable<ParsedInputOf<typeof rehearsePriceList>['body']['list']>

async function checkRehearsedDraft(context: UseCaseContext, draft: DraftInput): Promise<RehearsedList> {
  const { type, effective_date, desc } = draft
  requireType(context.caller, type)
  const content = buildNewContent(draft)
  await requireValidDraft(context, { type, effective_date, description: cleanText(desc), content })
  return { type, list: content }
}
