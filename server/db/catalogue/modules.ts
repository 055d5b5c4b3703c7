import { type Insertable, type Selectable, sql } from 'kysely'
import { listModules } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { normaliseText } from '#domain/text.ts'
import {
  readCatalogueChangeNumber,
  readCatalogueChanges,
  takeCatalogueChangeNumber,
  type VisibleClientTypes,
} from '#server/db/catalogue/catalogue.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import type { ModuleTable } from '#server/db/tables/order-tables.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'

export type ModuleRecord = Selectable<ModuleTable>

const selectVisibleModules = (db: DatabaseHandle, type: VisibleClientTypes) =>
  db
    .selectFrom('module')
    .selectAll()
    .$if(type !== null, (rows) => rows.where('type', '=', type as ClientType))

const selectPresentModules = (db: DatabaseHandle, type: VisibleClientTypes) =>
  selectVisibleModules(db, type).where('deleted', '=', false)

const moduleColumns = {
  id: sql.ref('module.id'),
  code: { value: sql.ref('module.code'), folded: sql.ref('module.code_key') },
  name: { value: sql.ref('module.name'), folded: sql.ref('module.name_key') },
  version: { value: sql.ref('module.version'), folded: sql.ref('module.version') },
  type: sql.ref('module.type'),
  hidden: sql.ref('module.hidden'),
  create_time: sql`module.create_time / 1000`,
}

export const moduleReads: ListReads<VisibleClientTypes, ModuleRecord> = {
  readLatestChange: readCatalogueChangeNumber,
  readPage: (db, type, query) => readListPage(selectPresentModules(db, type), listModules, moduleColumns, query),
  readChanges: (db, type, since) => readCatalogueChanges(db, selectVisibleModules(db, type), since),
  readRowsAfter: (db, type, id, limit) =>
    selectPresentModules(db, type).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

/** Returns all modules of a type, visible and hidden, sorted by code. */
export const listModulesOfType = (db: DatabaseHandle, type: ClientType) =>
  selectPresentModules(db, type).orderBy('code_key').execute()

export const findModuleById = (db: DatabaseHandle, id: number) =>
  findRow(selectPresentModules(db, null).where('id', '=', id))

export const lockModule = (db: DatabaseHandle, id: number) =>
  findRow(selectPresentModules(db, null).where('id', '=', id).forUpdate())

export type NewModule = Omit<Insertable<ModuleTable>, 'code_key' | 'name_key' | 'change'>

/** Throws VALIDATION_ERROR if the code is already used. */
export async function insertModule(db: DatabaseHandle, module: NewModule): Promise<ModuleRecord> {
  const searchKeys = { code_key: normaliseText(module.code), name_key: normaliseText(module.name) }
  return await db
    .insertInto('module')
    .values({ ...module, ...searchKeys, change: await takeCatalogueChangeNumber(db) })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      throw getSqlState(error) === '23505'
        ? createValidationProblem([createDuplicateProblem('code', module.code)])
        : error
    })
}

/** Returns the problem of a value that must be unique (contracts 5). */
export const createDuplicateProblem = (field: string, value: string): FieldProblem => ({
  field,
  code: 'DUPLICATE',
  named: value,
})

export interface ModuleChange {
  name?: string
  dependencies?: string[]
  conditions?: string[]
  any_condition?: boolean
  apps?: ModuleRecord['apps']
  deleted?: boolean
}

/** Writes the fields, the next version and the next change number. */
export async function updateModule(
  db: DatabaseHandle,
  id: number,
  fields: ModuleChange,
  now: number,
): Promise<ModuleRecord> {
  const serializedFields = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]),
  )
  return db
    .updateTable('module')
    .set({
      ...serializedFields,
      ...(fields.name === undefined ? {} : { name_key: normaliseText(fields.name) }),
      change: await takeCatalogueChangeNumber(db),
      row_version: sql`row_version + 1`,
      update_time: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
