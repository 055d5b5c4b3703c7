/** The catalogue of modules: what customers choose from, and what joins by itself (contracts 5, D77, D80). */
import { randomBytes } from 'node:crypto'
import { fieldChanges } from '#domain/audit-log/changes.ts'
import { type Caller, type ClientType, isProviderAdmin } from '#domain/access.ts'
import { checkModule, type ModuleFields } from '#domain/checks/module-checks.ts'
import { tidyText } from '#domain/text.ts'
import { timestampIn } from '#domain/time.ts'
import type {
  createModule,
  deleteModule,
  getModule,
  listModuleChoices,
  listModules,
  updateModule,
} from '#contract/modules.ts'
import type { Id, OutputOf } from '#contract/endpoint.ts'
import { newestApps } from '#server/db/catalogue/apps.ts'
import { catalogueChange, lockCatalogue } from '#server/db/catalogue/catalogue.ts'
import * as modules from '#server/db/catalogue/modules.ts'
import { listsWithModule } from '#server/db/catalogue/price-lists.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { Answer, UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { invalid, notFound, ProblemError } from '#server/problems/problem-error.ts'
import { isVisible, requireType, visibleTypes } from '#server/use-cases/orders/client-types.ts'
import { requireVersion } from '#server/use-cases/if-match.ts'
import { dependents } from '#server/use-cases/catalogue/module-relations.ts'
import { requireListsStayUsable } from '#server/use-cases/catalogue/usable-price-list.ts'

type Row = OutputOf<typeof getModule>

const rowOf = ({ config }: AppContext, record: modules.ModuleRecord): Row => ({
  id: record.id,
  code: record.code,
  name: record.name,
  type: record.type,
  hidden: record.hidden,
  dependencies: record.dependencies,
  conditions: record.conditions,
  any_condition: record.any_condition,
  apps: record.apps,
  version: record.version,
  create_time: timestampIn(config.timeZone, record.create_time),
  row_version: record.row_version,
})

/** Customers are not told by what a hidden module joins, nor what is in it (decision 71). */
const listedRow = (app: AppContext, caller: Caller, record: modules.ModuleRecord): Row =>
  record.hidden && !isProviderAdmin(caller)
    ? { ...rowOf(app, record), dependencies: [], conditions: [], any_condition: false, apps: [] }
    : rowOf(app, record)

export const list = {
  changeNow: ({ db }: UseCaseContext) => catalogueChange(db),

  page: (async ({ db, app, caller }, { query }) => {
    if (query.type) requireType(caller, query.type)
    const { count, rows } = await modules.pageOfModules(db, visibleTypes(caller), query)
    return { body: { count, data: rows.map((row) => listedRow(app, caller, row)) } }
  }) satisfies UseCase<typeof listModules>,

  async changes({ db, app, caller }: UseCaseContext, _input: unknown, since: number | null) {
    const { changed, gone, upto } = await modules.modulesSince(db, visibleTypes(caller), since)
    return { changed: changed.map((row) => listedRow(app, caller, row)), gone, upto }
  },

  async rowsAfter({ db, app, caller }: UseCaseContext, _input: unknown, id: number, most: number) {
    return (await modules.modulesAfter(db, visibleTypes(caller), id, most)).map((row) => listedRow(app, caller, row))
  },
}

export const choices: UseCase<typeof listModuleChoices> = async ({ db, caller }, { query }) => {
  requireType(caller, query.type)
  const all = await modules.modulesOf(db, query.type)
  return {
    body: all.map(({ id, code, name, hidden, dependencies, conditions, any_condition }) => ({
      id,
      code,
      name,
      hidden,
      // A device quotes without a connection by the conditions; what a hidden module depends on is none of a customer's business.
      dependencies: hidden && !isProviderAdmin(caller) ? [] : dependencies,
      conditions,
      any_condition,
    })),
  }
}

export const get: UseCase<typeof getModule> = async ({ db, app, caller }, { params }) => {
  const found = typeof params.id === 'number' ? await modules.moduleById(db, params.id) : null
  if (!found || !isVisible(caller, found)) throw notFound()
  return { body: rowOf(app, found) }
}

interface Fields extends ModuleFields {
  type: ClientType
  code: string
  dependencies: string[]
  conditions: string[]
  any_condition: boolean
  apps: modules.ModuleRecord['apps']
}

/** What is wrong with a module among those there are. `own`: as it is already; null: it is made. */
async function check(
  { db }: UseCaseContext,
  fields: Fields,
  own: Pick<Fields, 'code' | 'name'> | null,
  withApps: boolean,
) {
  const all = await modules.modulesOf(db, fields.type)
  const others = all.filter(({ code }) => code !== own?.code)
  const known = withApps ? new Map((await newestApps(db)).map(({ code, flags }) => [code, flags])) : null
  return checkModule(fields, others, known, own?.name ?? null)
}

export const create: UseCase<typeof createModule> = async (context, { body }) => {
  const { db, caller, now } = context
  const hidden = body.hidden ?? false
  const fields: Fields = {
    type: body.type ?? 'saas',
    // D80.
    code: body.code ?? (hidden ? `auto_${randomBytes(5).toString('hex')}` : ''),
    name: tidyText(body.name),
    hidden,
    dependencies: [...new Set(body.dependencies)],
    conditions: hidden ? [...new Set(body.conditions)] : [],
    any_condition: body.any_condition ?? false,
    apps: body.apps ?? [],
  }
  requireType(caller, fields.type)
  const problems = await check(context, fields, null, true)
  if (problems.length > 0) throw invalid(problems)
  const { dependencies, conditions, apps } = fields
  const stored = await modules.insertModule(db, {
    ...fields,
    dependencies: JSON.stringify(dependencies),
    conditions: JSON.stringify(conditions),
    apps: JSON.stringify(apps),
    create_time: now,
    update_time: now,
  })
  return answer(context, stored, 'create', null)
}

/** Held until the commit. Throws NOT_FOUND, FORBIDDEN, VERSION_CONFLICT. */
async function held(context: UseCaseContext, id: Id): Promise<modules.ModuleRecord> {
  const found = typeof id === 'number' ? await modules.moduleForUpdate(context.db, id) : null
  if (!found) throw notFound()
  requireType(context.caller, found.type)
  const kept = { code: menuOf(found), info: { ModuleCode: found.code } }
  await requireVersion(context, found, { current: () => rowOf(context.app, found), kept })
  return found
}

const locked = ['type', 'code', 'hidden'] as const

export const update: UseCase<typeof updateModule> = async (context, { params, body }) => {
  const before = await held(context, params.id)
  const refused = locked.filter((field) => body[field] !== undefined && body[field] !== before[field])
  if (refused.length > 0) throw invalid(refused.map((field) => ({ field, code: 'LOCKED' })))
  const fields: Fields = {
    type: before.type,
    code: before.code,
    hidden: before.hidden,
    name: body.name === undefined ? before.name : tidyText(body.name),
    dependencies: [...new Set(body.dependencies ?? before.dependencies)],
    conditions: before.hidden ? [...new Set(body.conditions ?? before.conditions)] : [],
    any_condition: body.any_condition ?? before.any_condition,
    apps: body.apps ?? before.apps,
  }
  // What an app was told stays as it is while it is not changed, whatever its newest version knows of it.
  const problems = await check(context, fields, before, body.apps !== undefined)
  if (problems.length > 0) throw invalid(problems)
  await requireListsStayUsable(context, fields)
  const { type: _type, code: _code, hidden: _hidden, ...changed } = fields
  const stored = await modules.updateModule(context.db, before.id, changed, context.now)
  return answer(context, stored, 'update', before)
}

export const remove: UseCase<typeof deleteModule> = async (context, { params }) => {
  const { db, now } = context
  const before = await held(context, params.id)
  // No list takes the module up meanwhile.
  await lockCatalogue(db)
  const needing = dependents(await modules.modulesOf(db, before.type), before.code)
  if (needing.hidden.length + needing.visible.length > 0)
    throw new ProblemError('STATE_CONFLICT', { why: 'dependents', ...needing })
  const dates = await listsWithModule(db, before.type, before.code)
  if (dates.length > 0) throw new ProblemError('STATE_CONFLICT', { why: 'priced', effective_dates: dates })
  await answer(context, await modules.updateModule(db, before.id, { deleted: true }, now), 'delete', before)
  return { status: 204, body: null }
}

const menuOf = ({ hidden }: { hidden: boolean }): AuditEntry['code'] => (hidden ? 'automodule' : 'module')

const moduleFacts = ['type', 'name', 'hidden', 'dependencies', 'conditions', 'any_condition', 'apps'] as const

async function answer(
  context: UseCaseContext,
  stored: modules.ModuleRecord,
  operation: 'create' | 'update' | 'delete',
  before: modules.ModuleRecord | null,
): Promise<Answer<Row>> {
  context.setResultRow('module', stored.id, stored.row_version)
  const after = operation === 'delete' ? null : stored
  const changes = fieldChanges(before, after, moduleFacts)
  await context.audit({ code: menuOf(stored), operation, info: { ModuleCode: stored.code }, changes })
  return { body: rowOf(context.app, stored) }
}
