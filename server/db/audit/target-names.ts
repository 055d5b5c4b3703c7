/** Reads the row names for the audit entry of a write that failed before it could name them itself. */
import type { RowKind } from '#contract/endpoint.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { isWithdrawn, findPriceListById } from '#server/db/catalogue/price-lists.ts'
import { findModuleById } from '#server/db/catalogue/modules.ts'

/**
 * Names of the row for the entry. `isHidden` is set for a module. `isConfirmed` is set for a price list: if true, deleting it withdraws it.
 */
export interface TargetNames {
  info: Record<string, string | number>
  isHidden?: boolean
  isConfirmed?: boolean
}

/** Kinds of catalogue rows. They belong to no company, so only the provider's admins may see their names in an entry. */
export const catalogueKinds: ReadonlySet<RowKind> = new Set(['price', 'module'])

type NamesReader = (db: DatabaseHandle, id: number, companyId: number) => Promise<TargetNames | null>

const namesReaders: Partial<Record<RowKind, NamesReader>> = {
  async user(db, id, companyId) {
    const row = await db
      .selectFrom('portal_user')
      .innerJoin('company', 'company.id', 'portal_user.company_id')
      .select(['company.name as company', 'portal_user.name', 'portal_user.email'])
      .where('portal_user.id', '=', id)
      .where('portal_user.company_id', '=', companyId)
      .executeTakeFirst()
    return row ? { info: { CompanyName: row.company, UserName: row.name, UserEmail: row.email, UserId: id } } : null
  },
  async company(db, id, companyId) {
    if (id !== companyId) return null
    const row = await db.selectFrom('company').select('name').where('id', '=', id).executeTakeFirst()
    return row ? { info: { CompanyName: row.name } } : null
  },
  async order(db, id, companyId) {
    const row = await db
      .selectFrom('service_order')
      .select('code')
      .where('id', '=', id)
      .where('company_id', '=', companyId)
      .executeTakeFirst()
    return row ? { info: { ServiceCode: row.code, OrderId: id } } : null
  },
  async contract(db, id, companyId) {
    const row = await db
      .selectFrom('contract')
      .select(['code', 'service_code'])
      .where('id', '=', id)
      .where('company_id', '=', companyId)
      .executeTakeFirst()
    return row ? { info: { ServiceCode: row.service_code, ContractCode: row.code } } : null
  },
  async service(db, id, companyId) {
    const row = await db
      .selectFrom('service')
      .select('code')
      .where('id', '=', id)
      .where('company_id', '=', companyId)
      .executeTakeFirst()
    return row ? { info: { ServiceCode: row.code } } : null
  },
  async price(db, id) {
    const row = await findPriceListById(db, id)
    if (!row) return null
    const info = { PriceEffDate: row.effective_date, PriceDesc: row.description }
    return { info, isConfirmed: row.confirmed && !isWithdrawn(row) }
  },
  async module(db, id) {
    const row = await findModuleById(db, id)
    return row && { info: { ModuleCode: row.code }, isHidden: row.hidden }
  },
}

export const readTargetNames = async (db: DatabaseHandle, kind: RowKind, id: number, companyId: number) =>
  (await namesReaders[kind]?.(db, id, companyId)) ?? null
