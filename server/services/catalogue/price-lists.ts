/** Price lists: written by the provider's staff, read by whoever orders (contracts 5, D16, D81). */
import { createHash } from 'node:crypto'
import { type ClientType, isProviderAdmin } from '#domain/access.ts'
import { isDate } from '#domain/period.ts'
import { checkPriceList, type PriceContent, rangesInOrder } from '#domain/checks/price-checks.ts'
import { tidyText } from '#domain/text.ts'
import { timestampIn } from '#domain/time.ts'
import type { Id, ParsedInputOf, OutputOf } from '#contract/endpoint.ts'
import type {
  createPriceList,
  deletePriceList,
  getPriceInForce,
  getPriceList,
  listModulePrices,
  listPriceLists,
  updatePriceList,
} from '#contract/prices.ts'
import { catalogueChange } from '#server/db/catalogue/catalogue.ts'
import { modulesOf } from '#server/db/catalogue/modules.ts'
import { isPriceListNamed } from '#server/db/orders/orders.ts'
import * as lists from '#server/db/catalogue/price-lists.ts'
import { userById } from '#server/db/accounts/users.ts'
import type { Answer, ServiceContext, AppContext, Service } from '#server/context.ts'
import { invalid, notFound, ProblemError } from '#server/problem-error.ts'
import { isVisible, requireType, visibleTypes } from '#server/services/orders/client-types.ts'
import { momentOf } from '#server/services/orders/business-time.ts'
import { requireVersion } from '#server/services/if-match.ts'

type Whole = OutputOf<typeof getPriceList>

function headerOf({ config }: AppContext, { content, ...record }: lists.PriceListRecord) {
  const { concurrentUser: _c, namedUser: _n, module: _m, pdbPrice: _p, ...header } = content
  return {
    id: record.id,
    type: record.type,
    effective_date: record.effective_date,
    desc: record.description,
    confirmed: record.confirmed,
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

export const inForce: Service<typeof getPriceInForce> = async (context, { query }) => {
  requireType(context.caller, query.type)
  const found = await lists.priceListInForce(context.db, query.type, momentOf(context).today)
  if (!found) throw notFound()
  return { body: wholeOf(context.app, found) }
}

export const get: Service<typeof getPriceList> = async (context, { params }) => {
  const found = typeof params.id === 'number' ? await lists.priceListById(context.db, params.id) : null
  if (!found || !(await maySee(context, found))) throw notFound()
  return { body: wholeOf(context.app, found) }
}

async function maySee(context: ServiceContext, found: lists.PriceListRecord): Promise<boolean> {
  const { db, caller } = context
  if (isProviderAdmin(caller)) return isVisible(caller, found) && !found.deleted
  const present = await lists.priceListInForce(db, 'saas', momentOf(context).today)
  return present?.id === found.id || (await isPriceListNamed(db, caller.companyId, found.id))
}

export const modulePrices: Service<typeof listModulePrices> = async ({ db, caller }, { params, query }) => {
  if (query.type) requireType(caller, query.type)
  const found = typeof params.priceId === 'number' ? await lists.priceListById(db, params.priceId) : null
  const isAsked = found && !found.deleted && isVisible(caller, found) && (query.type ?? found.type) === found.type
  if (!isAsked) throw notFound()
  return { body: found.content.module }
}

export const list = {
  changeNow: ({ db }: ServiceContext) => catalogueChange(db),

  page: (async ({ db, app, caller }, { query }) => {
    if (query.type) requireType(caller, query.type)
    const { count, rows } = await lists.pageOfPriceLists(db, visibleTypes(caller), query)
    return { body: { count, data: rows.map((row) => headerOf(app, row)) } }
  }) satisfies Service<typeof listPriceLists>,

  async changes({ db, app, caller }: ServiceContext, _input: unknown, since: number | null) {
    const { changed, gone, upto } = await lists.priceListsSince(db, visibleTypes(caller), since)
    return { changed: changed.map((row) => headerOf(app, row)), gone, upto }
  },

  async rowsAfter({ db, app, caller }: ServiceContext, _input: unknown, id: number, most: number) {
    return (await lists.priceListsAfter(db, visibleTypes(caller), id, most)).map((row) => headerOf(app, row))
  },
}

type Sent = ParsedInputOf<typeof updatePriceList>['body']

const none = '0.00'
const empty: PriceContent = {
  uat_charge: none,
  uat_cap_hkd: none,
  uat_cap_usd: none,
  uat_cap_rmb: none,
  min_concurrent_user: 0,
  min_named_user: 0,
  min_fee_hkd: none,
  min_fee_usd: none,
  min_fee_rmb: none,
  concurrentUser: [],
  namedUser: [],
  module: [],
  pdbPrice: null,
}

/** What is kept of a form over what was there. Ids of rows are their places: a list is written whole. */
function contentOf(before: PriceContent, sent: Omit<Sent, 'id'>): PriceContent {
  const named = Object.keys(empty) as (keyof PriceContent)[]
  const given = Object.fromEntries(named.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]])))
  const merged = { ...before, ...given } as PriceContent
  return {
    ...merged,
    concurrentUser: rangesInOrder(merged.concurrentUser),
    namedUser: rangesInOrder(merged.namedUser),
    module: merged.module.map(({ code, module_id, hkd, usd, rmb }, at) => ({
      id: at + 1,
      code,
      module_id,
      hkd,
      usd,
      rmb,
    })),
  }
}

interface Draft {
  type: ClientType
  effective_date: string
  description: string
  content: PriceContent
}

async function requireSound(
  { db }: ServiceContext,
  { type, effective_date, description, content }: Draft,
): Promise<void> {
  const known = new Map((await modulesOf(db, type)).flatMap(({ id, code, hidden }) => (hidden ? [] : [[id, code]])))
  const unknown = content.module.filter(({ code, module_id }) => known.get(module_id) !== code)
  const problems = [
    ...(isDate(effective_date) ? [] : [{ field: 'effective_date', code: 'INVALID_FORMAT' as const }]),
    ...(description === '' ? [{ field: 'desc', code: 'REQUIRED' as const }] : []),
    ...checkPriceList(content),
    ...unknown.map(({ id, code }) => ({
      field: `module.${id - 1}.code`,
      code: 'MODULE_UNKNOWN' as const,
      named: code,
    })),
  ]
  if (problems.length > 0) throw invalid(problems)
}

const nameOf = async ({ db, caller }: ServiceContext) =>
  (await userById(db, caller.companyId, caller.userId))?.name ?? ''

export const create: Service<typeof createPriceList> = async (context, { body }) => {
  const { db, caller, now } = context
  requireType(caller, body.type)
  const { type, effective_date } = body
  const draft = { type, effective_date, description: tidyText(body.desc), content: contentOf(empty, body) }
  await requireSound(context, draft)
  const stored = await lists.insertPriceList(db, {
    ...draft,
    confirmed: body.confirmed ?? false,
    content: JSON.stringify(draft.content),
    update_user_name: await nameOf(context),
    create_time: now,
    update_time: now,
  })
  return answer(context, stored, 'create')
}

/** Held until the commit. Throws NOT_FOUND, FORBIDDEN, VERSION_CONFLICT. */
async function held(context: ServiceContext, id: Id): Promise<lists.PriceListRecord> {
  const found = typeof id === 'number' ? await lists.priceListForUpdate(context.db, id) : null
  if (!found) throw notFound()
  requireType(context.caller, found.type)
  const kept = { code: 'price' as const, info: { PriceEffDate: found.effective_date } }
  await requireVersion(context, found, { current: () => wholeOf(context.app, found), kept })
  return found
}

export const update: Service<typeof updatePriceList> = async (context, { body }) => {
  const before = await held(context, body.id)
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
  await requireSound(context, { ...draft, content })
  const { type: _type, ...fields } = draft
  const stored = await lists.updatePriceList(context.db, before.id, {
    ...fields,
    content: JSON.stringify(content),
    update_user_name: await nameOf(context),
    update_time: context.now,
  })
  return answer(context, stored, 'update')
}

/** A list that was sold by stays readable for those who bought (D81). Throws STATE_CONFLICT for the one that is needed. */
export const remove: Service<typeof deletePriceList> = async (context, { params }) => {
  const { db, now } = context
  const before = await held(context, params.id)
  const present = await lists.priceListInForce(db, before.type, momentOf(context).today)
  if (before.confirmed && present?.id === before.id) throw new ProblemError('STATE_CONFLICT', { why: 'inForce' })
  const stored = await lists.updatePriceList(db, before.id, {
    deleted: true,
    update_user_name: await nameOf(context),
    update_time: now,
  })
  await answer(context, stored, 'delete')
  return { status: 204, body: null }
}

async function answer(
  context: ServiceContext,
  stored: lists.PriceListRecord,
  operation: string,
): Promise<Answer<Whole>> {
  context.setResultRow('price', stored.id, stored.row_version)
  const info = { PriceEffDate: stored.effective_date, PriceDesc: stored.description }
  await context.audit({ code: 'price', operation, info })
  return { body: wholeOf(context.app, stored) }
}
