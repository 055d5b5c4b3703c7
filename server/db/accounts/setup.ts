import { userStatus } from '#domain/accounts/users.ts'
import type { PlainDate } from '#domain/time.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { findPriceListInForce } from '#server/db/catalogue/price-lists.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'

/** Reads, as the system role, what the first steps of the caller's company depend on. */
export async function readSetupFacts(
  db: DatabaseHandle,
  { companyId, userId, today }: { companyId: number; userId: number; today: PlainDate },
) {
  const contracts = db.selectFrom('contract').select('id').limit(1)
  const colleagues = db
    .selectFrom('portal_user')
    .select('id')
    .where('id', '<>', userId)
    .where('status', '<>', userStatus.deleted)
  const orders = db.selectFrom('service_order').select('id').where('company_id', '=', companyId)
  return {
    isHidden: await hasRow(
      db.selectFrom('portal_user').select('id').where('id', '=', userId).where('is_setup_hidden', '=', true),
    ),
    company: await findCompanyById(db, companyId),
    hasColleague: await hasRow(colleagues.where('company_id', '=', companyId).limit(1)),
    hasFactor: await hasRow(db.selectFrom('factor').select('id').where('user_id', '=', userId).limit(1)),
    hasContract: await hasRow(contracts.where('company_id', '=', companyId)),
    hasOrder: await hasRow(orders.where('deleted', '=', false).limit(1)),
    hasContractOfAnyCompany: await hasRow(contracts),
    hasPriceList: (await findPriceListInForce(db, 'saas', today)) !== null,
  }
}

/** Changes neither the version nor the change number of the user, because no list shows it. */
export async function writeSetupHidden(
  db: DatabaseHandle,
  { companyId, userId }: { companyId: number; userId: number },
  isHidden: boolean,
): Promise<void> {
  await db
    .updateTable('portal_user')
    .set({ is_setup_hidden: isHidden })
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .execute()
}
