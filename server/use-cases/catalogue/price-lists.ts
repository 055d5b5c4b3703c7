/** Price lists: written by the provider's staff, read by whoever orders (contracts 5, D16, D81). */
import { createHash } from 'node:crypto'
import { isProviderAdmin } from '#domain/access.ts'
import { type PriceDifference, priceDifferences, priceFields } from '#domain/catalogue/prices.ts'
import { noHiddenCharacter } from '#domain/checks/field-checks.ts'
import { tidyText } from '#domain/text.ts'
import { timestampIn } from '#domain/time.ts'
import type { Id, OutputOf, ParsedInputOf } from '#contract/endpoint.ts'
import type {
  createPriceList,
  getPriceInForce,
  getPriceList,
  listModulePrices,
  listPriceLists,
  updatePriceList,
} from '#contract/prices.ts'
import { catalogueChange, lockCatalogue } from '#server/db/catalogue/catalogue.ts'
import { isPriceListNamed } from '#server/db/orders/orders.ts'
import * as lists from '#server/db/catalogue/price-lists.ts'
import { userById } from '#server/db/accounts/users.ts'
import type { Answer, UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { invalid, notFound, ProblemError } from '#server/problems/problem-error.ts'
import { isVisible, requireType, visibleTypes } from '#server/use-cases/orders/client-types.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'
import { contentOf, contentOfNew, draftProblems, requireSound } from '#server/use-cases/catalogue/price-content.ts'
import { requireUsable } from '#server/use-cases/catalogue/usable-price-list.ts'
import { requireVersion } from '#server/use-cases/if-match.ts'

type Whole = OutputOf<typeof getPriceList>

function headerOf({ config }: AppContext, { content, ...record }: lists.PriceListRecord) {
  const { concurrentUser: _c, namedUser: _n, module: _m, pdbPrice: _p, ...header } = content
  return {
    id: record.id,
    type: record.type,
    effective_date: record.effective_date,
    desc: record.description,
    confirmed: record.confirmed,
    withdrawn: lists.isWithdrawn(record),
    ...header,
    update_time: timestampIn(config.timeZone, record.update_time),
    update_user_name: record.update_user_name,
    row_version: record.row_version,
  }
}

const wholeOf = (app: AppContext, record: lists.PriceListRecord): Whole => {
  const { concurrentUser, namedUser, module, pdbPrice } = record.content
  return { ...headerOf(app, record), concurrentUser, namedUser, module, pdbPrice }
}

/** Of all that decides what something costs. */
export const hashOf = ({ id, content }: Pick<lists.PriceListRecord, 'id' | 'content'>): string =>
  createHash('sha256')
    .update(JSON.stringify([id, sorted(content)]))
    .digest('base64url')

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, one]) => [name, sorted(one)])
      : value

export const inForce: UseCase<typeof getPriceInForce> = async (context, { query }) => {
  requireType(context.caller, query.type)
  const found = await lists.priceListInForce(context.db, query.type, momentOf(context).today)
  if (!found) throw notFound()
  return { body: wholeOf(context.app, found) }
}

export const get: UseCase<typeof getPriceList> = async (context, { params }) => {
  const found = typeof params.id === 'number' ? await lists.priceListById(context.db, params.id) : null
  if (!found || !(await maySee(context, found))) throw notFound()
  return { body: wholeOf(context.app, found) }
}

async function maySee(context: UseCaseContext, found: lists.PriceListRecord): Promise<boolean> {
  const { db, caller } = context
  if (isProviderAdmin(caller)) return isVisible(caller, found)
  const present = await lists.priceListInForce(db, 'saas', momentOf(context).today)
  return present?.id === found.id || (await isPriceListNamed(db, caller.companyId, found.id))
}

export const modulePrices: UseCase<typeof listModulePrices> = async ({ db, caller }, { params, query }) => {
  if (query.type) requireType(caller, query.type)
  const found = typeof params.priceId === 'number' ? await lists.priceListById(db, params.priceId) : null
  const isAsked = found && isVisible(caller, found) && (query.type ?? found.type) === found.type
  if (!isAsked) throw notFound()
  return { body: found.content.module }
}

export const list = {
  changeNow: ({ db }: UseCaseContext) => catalogueChange(db),

  page: (async ({ db, app, caller }, { query }) => {
    if (query.type) requireType(caller, query.type)
    const { count, rows } = await lists.pageOfPriceLists(db, visibleTypes(caller), query)
    return { body: { count, data: rows.map((row) => headerOf(app, row)) } }
  }) satisfies UseCase<typeof listPriceLists>,

  async changes({ db, app, caller }: UseCaseContext, _input: unknown, since: number | null) {
    const { changed, gone, upto } = await lists.priceListsSince(db, visibleTypes(caller), since)
    return { changed: changed.map((row) => headerOf(app, row)), gone, upto }
  },

  async rowsAfter({ db, app, caller }: UseCaseContext, _input: unknown, id: number, most: number) {
    return (await lists.priceListsAfter(db, visibleTypes(caller), id, most)).map((row) => headerOf(app, row))
  },
}

export const nameOf = async ({ db, caller }: UseCaseContext) =>
  (await userById(db, caller.companyId, caller.userId))?.name ?? ''

export const create: UseCase<typeof createPriceList> = (context, { body }) =>
  make(context, body, body.confirmed ? ['create', 'confirm'] : ['create'])

/** `operations`: what the trail calls it (D86). */
export async function make(
  context: UseCaseContext,
  body: ParsedInputOf<typeof createPriceList>['body'],
  operations: readonly Operation[],
): Promise<Answer<Whole>> {
  const { db, caller, now } = context
  requireType(caller, body.type)
  const { type, effective_date } = body
  const draft = { type, effective_date, description: tidyText(body.desc), content: contentOfNew(body) }
  requireVisible(draft.description)
  // Its modules stay in the catalogue until the commit.
  await lockCatalogue(db)
  await requireSound(context, draft)
  if (body.confirmed) await requireUsable(context, draft)
  const stored = await lists.insertPriceList(db, {
    ...draft,
    confirmed: body.confirmed ?? false,
    content: JSON.stringify(draft.content),
    update_user_name: await nameOf(context),
    create_time: now,
    update_time: now,
  })
  return answer(context, stored, operations)
}

/** Throws VALIDATION_ERROR for a description with a character that nobody sees: it is the name of the list. */
function requireVisible(description: string): void {
  const problem = noHiddenCharacter(description)
  if (problem) throw invalid([{ field: 'desc', ...problem }])
}

/** Held until the commit, withdrawn ones too. Throws NOT_FOUND, FORBIDDEN, VERSION_CONFLICT. */
export async function held(context: UseCaseContext, id: Id): Promise<lists.PriceListRecord> {
  const found = typeof id === 'number' ? await lists.priceListForUpdate(context.db, id) : null
  if (!found) throw notFound()
  requireType(context.caller, found.type)
  const kept = { code: 'price' as const, info: { PriceEffDate: found.effective_date } }
  await requireVersion(context, found, { current: () => wholeOf(context.app, found), kept })
  return found
}

export const update: UseCase<typeof updatePriceList> = async (context, { body }) => {
  const before = await held(context, body.id)
  if (lists.isWithdrawn(before)) throw new ProblemError('STATE_CONFLICT', { why: 'withdrawn' })
  const content = contentOf(before.content, body)
  const draft = {
    type: body.type ?? before.type,
    effective_date: body.effective_date ?? before.effective_date,
    confirmed: body.confirmed ?? before.confirmed,
    description: body.desc === undefined ? before.description : tidyText(body.desc),
  }
  const isSame = hashOf({ id: before.id, content }) === hashOf(before)
  const changed = (['type', 'effective_date', 'confirmed'] as const).filter((field) => draft[field] !== before[field])
  const refused = before.confirmed
    ? [...changed, ...(isSame ? [] : ['content'])]
    : changed.filter((one) => one === 'type')
  if (refused.length > 0) throw invalid(refused.map((field) => ({ field, code: 'LOCKED' })))
  // A confirmed list keeps its prices, also where the catalogue has become another since.
  const problems = before.confirmed ? draftProblems({ ...draft, content }) : []
  if (problems.length > 0) throw invalid(problems)
  if (draft.description !== before.description) requireVisible(draft.description)
  await lockCatalogue(context.db)
  if (!before.confirmed) await requireSound(context, { ...draft, content })
  if (draft.confirmed && !before.confirmed) await requireUsable(context, { type: before.type, content })
  const { type: _type, ...fields } = draft
  const stored = await lists.updatePriceList(context.db, before.id, {
    ...fields,
    content: JSON.stringify(content),
    update_user_name: await nameOf(context),
    update_time: context.now,
  })
  const operation = stored.confirmed && !before.confirmed ? 'confirm' : 'update'
  return answer(context, stored, [operation], changesIn(before, stored))
}

/** Each operation is an entry of its own in the trail (D86): whoever looks for what was confirmed finds all of it. */
type Operation = 'create' | 'import' | 'update' | 'confirm' | 'delete' | 'withdraw' | 'restore'

export async function answer(
  context: UseCaseContext,
  stored: lists.PriceListRecord,
  operations: readonly Operation[],
  { changes, count }: { changes: readonly PriceDifference[]; count: number | null } = { changes: [], count: null },
): Promise<Answer<Whole>> {
  context.setResultRow('price', stored.id, stored.row_version)
  const info = {
    PriceEffDate: stored.effective_date,
    PriceDesc: stored.description,
    ...(count === null ? {} : { ChangeCount: count }),
  }
  for (const operation of operations)
    await context.audit({ code: 'price', operation, info, changes: contentChanges(operation, stored) ?? changes })
  return { body: wholeOf(context.app, stored) }
}

/**
 * All of a list that comes or goes, so that the trail alone shows what was made and what was deleted. A withdrawn one stays, and can
 * be read.
 */
function contentChanges(operation: Operation, stored: lists.PriceListRecord): PriceDifference[] | null {
  const fields = () => priceFields(comparedOf(stored))
  if (operation === 'create' || operation === 'import')
    return fields().map(([field, after]) => ({ field, before: null, after }))
  return operation === 'delete' ? fields().map(([field, before]) => ({ field, before, after: null })) : null
}

/** Of a change. The trail is kept for years: it names so many changes, each with so many characters of a value, and counts the rest. */
const named = { changes: 20, characters: 100 }

function changesIn(before: lists.PriceListRecord, after: lists.PriceListRecord) {
  const all = priceDifferences(comparedOf(before), comparedOf(after))
  const short = (value: string | null) => {
    const letters = [...(value ?? '')]
    return letters.length > named.characters ? `${letters.slice(0, named.characters).join('')}…` : value
  }
  const shown = all
    .slice(0, named.changes)
    .map(({ field, before: was, after: is }): PriceDifference => ({ field, before: short(was), after: short(is) }))
  return { changes: shown, count: all.length }
}

const comparedOf = ({ effective_date, description, confirmed, content }: lists.PriceListRecord) => ({
  effective_date,
  desc: description,
  confirmed,
  ...content,
})
