/** Reads the traffic of the current month so far, and its price (D22). */
import { toGigabytes, calculateTrafficAmount } from '#domain/fees/traffic.ts'
import { getTrafficRates } from '#domain/fees/backup-prices.ts'
import { type Currency, writeAmount } from '#domain/money.ts'
import { getCountingMonth, type CalendarMonth, findBillingSubscription } from '#domain/traffic-months.ts'
import type { getTraffic } from '#contract/backups.ts'
import { findPriceListInForce } from '#server/db/catalogue/price-lists.ts'
import { findServiceRow } from '#server/db/hosting/services.ts'
import { sumTrafficByMonth, listTrafficTerms } from '#server/db/hosting/traffic.ts'
import { findContractById } from '#server/db/orders/contracts.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { requireRow } from '#server/problems/problem-error.ts'
import { readTrafficRates } from '#server/use-cases/hosting/traffic/close-months.ts'
import { runForRow } from '#server/use-cases/orders/acting-company.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export const readCurrentMonth: UseCase<typeof getTraffic> = (context, { params }) =>
  runForRow(context, 'service', params.serviceId, async ({ companyId }, serviceId) => {
    const service = requireRow(await findServiceRow(context.db, companyId, serviceId))
    const month = getCountingMonth(getBusinessMoment(context).today, service.closed_month)
    const {
      currency,
      free: freeTraffic,
      price,
    } = await readCurrentTerms(context, {
      companyId,
      serviceId,
      contractId: service.contract_id,
      month,
    })
    const bytesByMonth = await sumTrafficByMonth(context.db, serviceId)
    const measuredTraffic = toGigabytes(bytesByMonth.get(month) ?? 0)
    return {
      body: {
        month,
        pdb_traffic: writeAmount(measuredTraffic),
        pdb2s3_traffic: writeAmount(freeTraffic),
        amount: writeAmount(calculateTrafficAmount(measuredTraffic, freeTraffic, price)),
        currency,
      },
    }
  })

interface TermsInput {
  companyId: number
  serviceId: number
  contractId: number | null
  month: CalendarMonth
}

/** Returns the terms of the subscription that pays for the month, otherwise those of the price list in force, otherwise a price of 0. */
async function readCurrentTerms(context: UseCaseContext, { companyId, serviceId, contractId, month }: TermsInput) {
  const { db } = context
  const terms = findBillingSubscription(await listTrafficTerms(db, { companyId, serviceId }), month)
  if (terms) return { currency: terms.currency, ...(await readTrafficRates(db, terms)) }
  const contract = contractId === null ? null : await findContractById(db, companyId, contractId)
  const currency: Currency = contract?.currency ?? 'HKD'
  const priceList = contract && (await findPriceListInForce(db, contract.client_type, getBusinessMoment(context).today))
  const prices = priceList?.content.pdbPrice
  return { currency, ...(prices ? getTrafficRates(prices, currency) : { free: 0n, price: 0n }) }
}
