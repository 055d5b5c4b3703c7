/** Manages price lists: the provider's staff edit them, and users with the order right read them (contracts 5, D16, D81). */
import { createHash } from 'node:crypto'
import { isProviderAdmin } from '#domain/access.ts'
import { type PriceDifference, findPriceDifferences, listPriceFields } from '#domain/catalogue/price-differences.ts'
import { checkHiddenCharacter } from '#domain/checks/field-checks.ts'
import { cleanText } from '#domain/text.ts'
import { toTimestamp } from '#domain/time.ts'
import type { RowRef, OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import type {
  createPriceList,
  getPriceInForce,
  getPriceList,
  listModulePrices,
  listPriceLists,
  updatePriceList,
} from '#contract/prices.ts'
import { lockCatalogue, type VisibleClientTypes } from '#server/db/catalogue/catalogue.ts'
import { isPriceListUsed } from '#server/db/orders/orders.ts'
import * as lists from '#server/db/catalogue/price-lists.ts'
import { findUserById } from '#server/db/accounts/users.ts'
import type { UseCaseResponse, UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { createValidationProblem, createNotFoundProblem, ProblemError } from '#server/problems/problem-error.ts'
import { canSeeType, getVisibleTypes, requireQueriedType, requireType } from '#server/use-cases/orders/client-types.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'
import {
  mergeContent,
  buildNewContent,
  findDraftProblems,
  requireValidDraft,
} from '#server/use-cases/catalogue/price-content.ts'
import { requireUsableList } from '#server/use-cases/catalogue/usable-price-list.ts'
import { createListUseCase } from '#server/use-cases/list-use-case.ts'
import { requireVersion } from '#server/use-cases/require-version.ts'

type CompletePriceList = OutputOf<typeof getPriceList>

function toListHeader({ config }: AppContext, { content, ...record }: lists.PriceListRecord) {
  const { concurrentUser: _c, namedUser: _n, module: _m, pdbPrice: _p, ...header } = content
  return {
    id: record.id,
    type: record.type,
    effective_date: record.effective_date,
    desc: record.description,
    confirmed: record.confirmed,
    withdrawn: lists.isWithdrawn(record),
    ...header,
    update_time: toTimestamp(config.timeZone, record.update_time),
    update_user_name: record.update_user_name,
    row_version: record.row_version,
  }
}

const toCompleteList = (app: AppContext, record: lists.PriceListRecord): CompletePriceList => {
  const { concurrentUser, namedUser, module, pdbPrice } = record.content
  return { ...toListHeader(app, record), concurrentUser, namedUser, module, pdbPrice }
}

/** Returns a hash over everything that determines a price. */
export const hashPrices = ({ id, content }: Pick<lists.PriceListRecord, 'id' | 'content'>): string =>
  createHash('sha256')
    .update(JSON.stringify([id, sortKeys(content)]))
    .digest('base64url')

const sortKeys = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, field]) => [name, sortKeys(field)])
      : value

export const readListInForce: UseCase<typeof getPriceInForce> = async (context, { query }) => {
  requireType(context.caller, query.type)
  const priceList = await lists.findPriceListInForce(context.db, query.type, getBusinessMoment(context).today)
  if (!priceList) throw createNotFoundProblem()
  return { body: toCompleteList(context.app, priceList) }
}

export const get: UseCase<typeof getPriceList> = async (context, { params }) => {
  const priceList = typeof params.id === 'number' ? await lists.findPriceListById(context.db, params.id) : null
  if (!priceList || !(await canSee(context, priceList))) throw createNotFoundProblem()
  return { body: toCompleteList(context.app, priceList) }
}

async function canSee(context: UseCaseContext, priceList: lists.PriceListRecord): Promise<boolean> {
  const { db, caller } = context
  if (isProviderAdmin(caller)) return canSeeType(caller, priceList)
  const listInForce = await lists.findPriceListInForce(db, 'saas', getBusinessMoment(context).today)
  return listInForce?.id === priceList.id || (await isPriceListUsed(db, caller.companyId, priceList.id))
}

export const readModulePrices: UseCase<typeof listModulePrices> = async ({ db, caller }, { params, query }) => {
  if (query.type) requireType(caller, query.type)
  const priceList = typeof params.priceId === 'number' ? await lists.findPriceListById(db, params.priceId) : null
  const isRequestedType =
    priceList && canSeeType(caller, priceList) && (query.type ?? priceList.type) === priceList.type
  if (!isRequestedType) throw createNotFoundProblem()
  return { body: priceList.content.module }
}

export const priceListList = createListUseCase<typeof listPriceLists, VisibleClientTypes, lists.PriceListRecord>({
  reads: lists.priceListReads,
  runInScope: (context, _, read) => read(getVisibleTypes(context.caller)),
  toRow: ({ app }, row) => toListHeader(app, row),
  toPageQuery: requireQueriedType,
})

export const readCallerName = async ({ db, caller }: UseCaseContext) =>
  (await findUserById(db, caller.companyId, caller.userId))?.name ?? ''

export const create: UseCase<typeof createPriceList> = (context, { body }) =>
  createList(context, body, body.confirmed ? ['create', 'confirm'] : ['create'])

export async function createList(
  context: UseCaseContext,
  body: ParsedInputOf<typeof createPriceList>['body'],
  operations: readonly Operation[],
): Promise<UseCaseResponse<CompletePriceList>> {
  const { db, caller, now } = context
  requireType(caller, body.type)
  const { type, effective_date } = body
  const draft = { type, effective_date, description: cleanText(body.desc), content: buildNewContent(body) }
  requireVisibleCharacters(draft.description)
  // The catalogue is locked, so that the list's modules stay in it until the commit.
  await lockCatalogue(db)
  await requireValidDraft(context, draft)
  if (body.confirmed) await requireUsableList(context, draft)
  const storedList = await lists.insertPriceList(db, {
    ...draft,
    confirmed: body.confirmed ?? false,
    content: JSON.stringify(draft.content),
    update_user_name: await readCallerName(context),
    create_time: now,
    update_time: now,
  })
  return finishListWrite(context, storedList, operations)
}

/** The description is the list's name. Throws VALIDATION_ERROR if it has an invisible character. */
function requireVisibleCharacters(description: string): void {
  const problem = checkHiddenCharacter(description)
  if (problem) throw createValidationProblem([{ field: 'desc', ...problem }])
}

/** Locks the list until the commit, even if it is withdrawn. Throws NOT_FOUND, FORBIDDEN or VERSION_CONFLICT. */
export async function lockPriceList(context: UseCaseContext, id: RowRef): Promise<lists.PriceListRecord> {
  const priceList = typeof id === 'number' ? await lists.lockPriceList(context.db, id) : null
  if (!priceList) throw createNotFoundProblem()
  requireType(context.caller, priceList.type)
  const auditTarget = { code: 'price' as const, info: { PriceEffDate: priceList.effective_date } }
  await requireVersion(context, priceList, {
    buildCurrentRow: () => toCompleteList(context.app, priceList),
    auditTarget,
  })
  return priceList
}

export const update: UseCase<typeof updatePriceList> = async (context, { body }) => {
  const listBefore = await lockPriceList(context, body.id)
  if (lists.isWithdrawn(listBefore)) throw new ProblemError('STATE_CONFLICT', { why: 'withdrawn' })
  const content = mergeContent(listBefore.content, body)
  const draft = {
    type: body.type ?? listBefore.type,
    effective_date: body.effective_date ?? listBefore.effective_date,
    confirmed: body.confirmed ?? listBefore.confirmed,
    description: body.desc === undefined ? listBefore.description : cleanText(body.desc),
  }
  const lockedFields = findLockedFields(listBefore, { ...draft, content })
  if (lockedFields.length > 0) throw createValidationProblem(lockedFields.map((field) => ({ field, code: 'LOCKED' })))
  // A confirmed list keeps its prices, even if the catalogue has changed since.
  const problems = listBefore.confirmed ? findDraftProblems({ ...draft, content }) : []
  if (problems.length > 0) throw createValidationProblem(problems)
  if (draft.description !== listBefore.description) requireVisibleCharacters(draft.description)
  await lockCatalogue(context.db)
  if (!listBefore.confirmed) await requireValidDraft(context, { ...draft, content })
  if (draft.confirmed && !listBefore.confirmed) await requireUsableList(context, { type: listBefore.type, content })
  const { type: _type, ...fields } = draft
  const storedList = await lists.updatePriceList(context.db, listBefore.id, {
    ...fields,
    content: JSON.stringify(content),
    update_user_name: await readCallerName(context),
    update_time: context.now,
  })
  const operation = storedList.confirmed && !listBefore.confirmed ? 'confirm' : 'update'
  return finishListWrite(context, storedList, [operation], buildChanges(listBefore, storedList))
}

/** Returns the changed fields that are locked: the type, and for a confirmed list every field but the description. */
function findLockedFields(
  listBefore: lists.PriceListRecord,
  draft: Pick<lists.PriceListRecord, 'type' | 'effective_date' | 'confirmed' | 'content'>,
): string[] {
  const fields = ['type', 'effective_date', 'confirmed'] as const
  const changedFields = fields.filter((field) => draft[field] !== listBefore[field])
  if (!listBefore.confirmed) return changedFields.filter((field) => field === 'type')
  const hasSamePrices = hashPrices({ id: listBefore.id, content: draft.content }) === hashPrices(listBefore)
  return hasSamePrices ? changedFields : [...changedFields, 'content']
}

/** Each operation is a separate audit entry (D86), so that a search for one operation finds all of its entries. */
type Operation = 'create' | 'import' | 'update' | 'confirm' | 'delete' | 'withdraw' | 'restore'

export async function finishListWrite(
  context: UseCaseContext,
  storedList: lists.PriceListRecord,
  operations: readonly Operation[],
  { changes, count }: { changes: readonly PriceDifference[]; count: number | null } = { changes: [], count: null },
): Promise<UseCaseResponse<CompletePriceList>> {
  context.setResultRow('price', storedList.id, storedList.row_version)
  const info = {
    PriceEffDate: storedList.effective_date,
    PriceDesc: storedList.description,
    ...(count === null ? {} : { ChangeCount: count }),
  }
  for (const operation of operations)
    await context.audit({
      code: 'price',
      operation,
      info,
      changes: buildContentChanges(operation, storedList) ?? changes,
    })
  return { body: toCompleteList(context.app, storedList) }
}

/**
 * Returns all fields of a created, imported or deleted list as changes, or null for another operation. A withdrawn list stays readable, so
 * its fields are not recorded.
 */
function buildContentChanges(operation: Operation, storedList: lists.PriceListRecord): PriceDifference[] | null {
  const getFields = () => listPriceFields(toComparedFields(storedList))
  if (operation === 'create' || operation === 'import')
    return getFields().map(([field, after]) => ({ field, before: null, after }))
  return operation === 'delete' ? getFields().map(([field, before]) => ({ field, before, after: null })) : null
}

/**
 * Maximum number of changes per audit entry and of characters per value, because entries are stored for years. The entry also has the total
 * number of changes.
 */
const trailLimits = { changes: 20, characters: 100 }

function buildChanges(listBefore: lists.PriceListRecord, listAfter: lists.PriceListRecord) {
  const differences = findPriceDifferences(toComparedFields(listBefore), toComparedFields(listAfter))
  const shorten = (value: string | null) => {
    const characters = [...(value ?? '')]
    return characters.length > trailLimits.characters
      ? `${characters.slice(0, trailLimits.characters).join('')}…`
      : value
  }
  const shortDifferences = differences.slice(0, trailLimits.changes).map(
    ({ field, before: valueBefore, after: valueAfter }): PriceDifference => ({
      field,
      before: shorten(valueBefore),
      after: shorten(valueAfter),
    }),
  )
  return { changes: shortDifferences, count: differences.length }
}

const toComparedFields = ({ effective_date, description, confirmed, content }: lists.PriceListRecord) => ({
  effective_date,
  desc: description,
  confirmed,
  ...content,
})
