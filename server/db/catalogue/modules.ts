/** Modules as rows. */
import { type Insertable, type Selectable, sql } from 'kysely'
import { listModules } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { foldText } from '#domain/text.ts'
import { catalogueSince, takeCatalogueChange, type VisibleTypes } from '#server/db/catalogue/catalogue.ts'
import type { Handle } from '#server/db/handle.ts'
import { type ListQuery, type Page, readPage } from '#server/db/list-query.ts'
import type { ModuleTable } from '#server/db/tables/order-tables.ts'
import { sqlState } from '#server/db/sql-state.ts'
import { invalid } from '#server/problems/problem-error.ts'

export type ModuleRecord = Selectable<ModuleTable>

const seen = (db: Handle, type: VisibleTypes) =>
  db
    .selectFrom('module')
    .selectAll()
    .$if(type !== null, (rows) => rows.where('type', '=', type as ClientType))

const columns = {
  id: sql.ref('module.id'),
  code: { value: sql.ref('module.code'), folded: sql.ref('module.code_key') },
  name: { value: sql.ref('module.name'), folded: sql.ref('module.name_key') },
  version: { value: sql.ref('module.version'), folded: sql.ref('module.version') },
  type: sql.ref('module.type'),
  hidden: sql.ref('module.hidden'),
  create_time: sql`module.create_time / 1000`,
}

export function pageOfModules(db: Handle, type: VisibleTypes, query: ListQuery): Promise<Page<ModuleRecord>> {
  const { list } = listModules
  if (!list) throw new Error('the list of modules fills no table')
  return readPage(seen(db, type).where('deleted', '=', false), { list, columns, id: columns.id }, query)
}

export const modulesSince = (db: Handle, type: VisibleTypes, since: number | null) =>
  catalogueSince(db, seen(db, type), since)

export const modulesAfter = (db: Handle, type: VisibleTypes, id: number, most: number): Promise<ModuleRecord[]> =>
  seen(db, type).where('deleted', '=', false).where('id', '>', id).orderBy('id').limit(most).execute()

/** All of a type, visible and hidden, as they are shown. */
export const modulesOf = (db: Handle, type: ClientType): Promise<ModuleRecord[]> =>
  seen(db, type).where('deleted', '=', false).orderBy('code_key').execute()

export async function moduleById(db: Handle, id: number): Promise<ModuleRecord | null> {
  const row = await seen(db, null).where('id', '=', id).where('deleted', '=', false).executeTakeFirst()
  return row ?? null
}

export async function moduleForUpdate(db: Handle, id: number): Promise<ModuleRecord | null> {
  const row = await seen(db, null).where('id', '=', id).where('deleted', '=', false).forUpdate().executeTakeFirst()
  return row ?? null
}

export type NewModule = Omit<Insertable<ModuleTable>, 'code_key' | 'name_key' | 'change'>

/** Throws VALIDATION_ERROR where the code is taken. */
export async function insertModule(db: Handle, module: NewModule): Promise<ModuleRecord> {
  const keys = { code_key: foldText(module.code), name_key: foldText(module.name) }
  return await db
    .insertInto('module')
    .values({ ...module, ...keys, change: await takeCatalogueChange(db) })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw sqlState(error) === '23505' ? invalid([occupied('code', module.code)]) : error
    })
}

/** The duplicate-code message (contracts 5). */
export const occupied = (field: string, value: string): FieldProblem => ({ field, code: 'DUPLICATE', named: value })

export interface ModuleChange {
  name?: string
  dependencies?: string[]
  conditions?: string[]
  any_condition?: boolean
  apps?: ModuleRecord['apps']
  deleted?: boolean
}

/** Writes the fields with the next version and change number. */
export async function updateModule(db: Handle, id: number, fields: ModuleChange, now: number): Promise<ModuleRecord> {
  const lists = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]),
  )
  return db
    .updateTable('module')
    .set({
      ...lists,
      ...(fields.name === undefined ? {} : { name_key: foldText(fields.name) }),
      change: await takeCatalogueChange(db),
      row_version: sql`row_version + 1`,
      update_time: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
