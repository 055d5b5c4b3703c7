/** Requests a job that calculates the effect of a saved or unsaved price list on the current contracts. */
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

/** Input of the job. It contains a copy of the list, so later changes of the list have no effect. */
export interface RehearseInput {
  type: ClientType
  list: PriceContent
  today: PlainDate
  /** Whether the caller may see the contracts' companies (D49). */
  named: boolean
}

export const rehearseJob = 'rehearse-prices'

/** Throws NOT_FOUND, FORBIDDEN for the client type, and VALIDATION_ERROR for a faulty draft. A draft may have the date of another list. */
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
