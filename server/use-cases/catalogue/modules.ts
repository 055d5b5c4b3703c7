/** Manages the catalogue of modules: those that customers choose, and those that join automatically (contracts 5, D77, D80). */
import { randomBytes } from 'node:crypto'
import { findFieldChanges } from '#domain/audit-log/changes.ts'
import { type Caller, type ClientType, isProviderAdmin } from '#domain/access.ts'
import { checkModule, type ModuleFields } from '#domain/checks/module-checks.ts'
import { cleanText } from '#domain/text.ts'
import { toTimestamp } from '#domain/time.ts'
import type {
  createModule,
  deleteModule,
  getModule,
  listModuleChoices,
  listModules,
  updateModule,
} from '#contract/modules.ts'
import type { RowRef, OutputOf } from '#contract/endpoint.ts'
import { listLatestApps } from '#server/db/catalogue/apps.ts'
import { lockCatalogue, type VisibleClientTypes } from '#server/db/catalogue/catalogue.ts'
import * as modules from '#server/db/catalogue/modules.ts'
import { listDatesWithModule } from '#server/db/catalogue/price-lists.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseResponse, UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { createValidationProblem, createNotFoundProblem, ProblemError } from '#server/problems/problem-error.ts'
import { canSeeType, getVisibleTypes, requireQueriedType, requireType } from '#server/use-cases/orders/client-types.ts'
import { createListUseCase } from '#server/use-cases/list-use-case.ts'
import { requireVersion } from '#server/use-cases/require-version.ts'
import { findDependentModules } from '#server/use-cases/catalogue/module-relations.ts'
import { requireListsStayUsable } from '#server/use-cases/catalogue/usable-price-list.ts'

type ModuleRow = OutputOf<typeof getModule>

const toModuleRow = ({ config }: AppContext, record: modules.ModuleRecord): ModuleRow => ({
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
  create_time: toTimestamp(config.timeZone, record.create_time),
  row_version: record.row_version,
})

/** Customers do not see the conditions of a hidden module, nor its contents (decision 71). */
const toListedRow = (app: AppContext, caller: Caller, record: modules.ModuleRecord): ModuleRow =>
  record.hidden && !isProviderAdmin(caller)
    ? { ...toModuleRow(app, record), dependencies: [], conditions: [], any_condition: false, apps: [] }
    : toModuleRow(app, record)

export const moduleList = createListUseCase<typeof listModules, VisibleClientTypes, modules.ModuleRecord>({
  reads: modules.moduleReads,
  runInScope: (context, _, read) => read(getVisibleTypes(context.caller)),
  toRow: ({ app, caller }, row) => toListedRow(app, caller, row),
  toPageQuery: requireQueriedType,
})

export const listChoices: UseCase<typeof listModuleChoices> = async ({ db, caller }, { query }) => {
  requireType(caller, query.type)
  const allModules = await modules.listModulesOfType(db, query.type)
  return {
    body: allModules.map(({ id, code, name, hidden, dependencies, conditions, any_condition }) => ({
      id,
      code,
      name,
      hidden,
      // A device needs the conditions for offline quotes, so they are sent for hidden modules too. Customers do not see what a hidden
      // module depends on.
      dependencies: hidden && !isProviderAdmin(caller) ? [] : dependencies,
      conditions,
      any_condition,
    })),
  }
}

export const get: UseCase<typeof getModule> = async ({ db, app, caller }, { params }) => {
  const module = typeof params.id === 'number' ? await modules.findModuleById(db, params.id) : null
  if (!module || !canSeeType(caller, module)) throw createNotFoundProblem()
  return { body: toModuleRow(app, module) }
}

interface ModuleValues extends ModuleFields {
  type: ClientType
  code: string
  dependencies: string[]
  conditions: string[]
  any_condition: boolean
  apps: modules.ModuleRecord['apps']
}

/** `currentModule` is the stored module, or null for a new one. */
async function findModuleProblems(
  { db }: UseCaseContext,
  fields: ModuleValues,
  currentModule: Pick<ModuleValues, 'code' | 'name'> | null,
  checksApps: boolean,
) {
  const allModules = await modules.listModulesOfType(db, fields.type)
  const otherModules = allModules.filter(({ code }) => code !== currentModule?.code)
  const flagsByApp = checksApps ? new Map((await listLatestApps(db)).map(({ code, flags }) => [code, flags])) : null
  return checkModule(fields, otherModules, flagsByApp, currentModule?.name ?? null)
}

export const create: UseCase<typeof createModule> = async (context, { body }) => {
  const { db, caller, now } = context
  const isHidden = body.hidden ?? false
  const fields: ModuleValues = {
    type: body.type ?? 'saas',
    // D80.
    code: body.code ?? (isHidden ? `auto_${randomBytes(5).toString('hex')}` : ''),
    name: cleanText(body.name),
    hidden: isHidden,
    dependencies: [...new Set(body.dependencies)],
    conditions: isHidden ? [...new Set(body.conditions)] : [],
    any_condition: body.any_condition ?? false,
    apps: body.apps ?? [],
  }
  requireType(caller, fields.type)
  const problems = await findModuleProblems(context, fields, null, true)
  if (problems.length > 0) throw createValidationProblem(problems)
  const { dependencies, conditions, apps } = fields
  const storedModule = await modules.insertModule(db, {
    ...fields,
    dependencies: JSON.stringify(dependencies),
    conditions: JSON.stringify(conditions),
    apps: JSON.stringify(apps),
    create_time: now,
    update_time: now,
  })
  return finishModuleWrite(context, storedModule, 'create', null)
}

async function lockModule(context: UseCaseContext, id: RowRef): Promise<modules.ModuleRecord> {
  const module = typeof id === 'number' ? await modules.lockModule(context.db, id) : null
  if (!module) throw createNotFoundProblem()
  requireType(context.caller, module.type)
  const auditTarget = { code: getAuditMenu(module), info: { ModuleCode: module.code } }
  await requireVersion(context, module, { buildCurrentRow: () => toModuleRow(context.app, module), auditTarget })
  return module
}

const lockedFields = ['type', 'code', 'hidden'] as const

export const update: UseCase<typeof updateModule> = async (context, { params, body }) => {
  const moduleBefore = await lockModule(context, params.id)
  const refusedFields = lockedFields.filter((field) => body[field] !== undefined && body[field] !== moduleBefore[field])
  if (refusedFields.length > 0) throw createValidationProblem(refusedFields.map((field) => ({ field, code: 'LOCKED' })))
  const fields: ModuleValues = {
    type: moduleBefore.type,
    code: moduleBefore.code,
    hidden: moduleBefore.hidden,
    name: body.name === undefined ? moduleBefore.name : cleanText(body.name),
    dependencies: [...new Set(body.dependencies ?? moduleBefore.dependencies)],
    conditions: moduleBefore.hidden ? [...new Set(body.conditions ?? moduleBefore.conditions)] : [],
    any_condition: body.any_condition ?? moduleBefore.any_condition,
    apps: body.apps ?? moduleBefore.apps,
  }
  // If no app settings are sent, the stored ones are not checked again, even if the app's newest version no longer has such a setting.
  const problems = await findModuleProblems(context, fields, moduleBefore, body.apps !== undefined)
  if (problems.length > 0) throw createValidationProblem(problems)
  await requireListsStayUsable(context, fields)
  const { type: _type, code: _code, hidden: _hidden, ...changes } = fields
  const storedModule = await modules.updateModule(context.db, moduleBefore.id, changes, context.now)
  return finishModuleWrite(context, storedModule, 'update', moduleBefore)
}

export const remove: UseCase<typeof deleteModule> = async (context, { params }) => {
  const { db, now } = context
  const moduleBefore = await lockModule(context, params.id)
  // The catalogue is locked, so that no price list adds the module until the commit.
  await lockCatalogue(db)
  const dependentModules = findDependentModules(
    await modules.listModulesOfType(db, moduleBefore.type),
    moduleBefore.code,
  )
  if (dependentModules.hidden.length + dependentModules.visible.length > 0)
    throw new ProblemError('STATE_CONFLICT', { why: 'dependents', ...dependentModules })
  const dates = await listDatesWithModule(db, moduleBefore.type, moduleBefore.code)
  if (dates.length > 0) throw new ProblemError('STATE_CONFLICT', { why: 'priced', effective_dates: dates })
  await finishModuleWrite(
    context,
    await modules.updateModule(db, moduleBefore.id, { deleted: true }, now),
    'delete',
    moduleBefore,
  )
  return { status: 204, body: null }
}

const getAuditMenu = ({ hidden }: { hidden: boolean }): AuditEntry['code'] => (hidden ? 'automodule' : 'module')

const moduleFacts = ['type', 'name', 'hidden', 'dependencies', 'conditions', 'any_condition', 'apps'] as const

async function finishModuleWrite(
  context: UseCaseContext,
  storedModule: modules.ModuleRecord,
  operation: 'create' | 'update' | 'delete',
  moduleBefore: modules.ModuleRecord | null,
): Promise<UseCaseResponse<ModuleRow>> {
  context.setResultRow('module', storedModule.id, storedModule.row_version)
  const moduleAfter = operation === 'delete' ? null : storedModule
  const changes = findFieldChanges(moduleBefore, moduleAfter, moduleFacts)
  await context.audit({ code: getAuditMenu(storedModule), operation, info: { ModuleCode: storedModule.code }, changes })
  return { body: toModuleRow(context.app, storedModule) }
}
