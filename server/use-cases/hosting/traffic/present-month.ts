/** What a service has moved this month so far, and what that would cost by the terms in effect (D22). */
import { gigabytes, trafficAmount } from '#domain/fees/traffic.ts'
import { trafficRates } from '#domain/fees/backup-prices.ts'
import { type Currency, writeAmount } from '#domain/money.ts'
import { countedIn, type Month, termsOf } from '#domain/traffic-months.ts'
import type { getTraffic } from '#contract/backups.ts'
import { priceListInForce } from '#server/db/catalogue/price-lists.ts'
import { serviceRowById } from '#server/db/hosting/services.ts'
import { movedByMonth, trafficTerms } from '#server/db/hosting/traffic.ts'
import { contractById } from '#server/db/orders/contracts.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { ratesOf } from '#server/use-cases/hosting/traffic/close-months.ts'
import { forRow } from '#server/use-cases/orders/acting-company.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

/** Throws NOT_FOUND. */
export const present: UseCase<typeof getTraffic> = (context, { params }) =>
  forRow(context, 'service', params.serviceId, async ({ companyId }, serviceId) => {
    const service = await serviceRowById(context.db, companyId, serviceId)
    if (!service) throw notFound()
    const month = countedIn(momentOf(context).today, service.closed_month)
    const { currency, free, price } = await termsNow(context, {
      companyId,
      serviceId,
      contractId: service.contract_id,
      month,
    })
    const moved = await movedByMonth(context.db, serviceId)
    const measured = gigabytes(moved.get(month) ?? 0)
    return {
      body: {
        month,
        pdb_traffic: writeAmount(measured),
        pdb2s3_traffic: writeAmount(free),
        amount: writeAmount(trafficAmount(measured, free, price)),
        currency,
      },
    }
  })

interface Asked {
  companyId: number
  serviceId: number
  contractId: number | null
  month: Month
}

/** Of the subscription; of the list in force where there is none, as one would be sold; nothing where there is none either. */
async function termsNow(context: UseCaseContext, { companyId, serviceId, contractId, month }: Asked) {
  const { db } = context
  const terms = termsOf(await trafficTerms(db, { companyId, serviceId }), month)
  if (terms) return { currency: terms.currency, ...(await ratesOf(db, terms)) }
  const contract = contractId === null ? null : await contractById(db, companyId, contractId)
  const currency: Currency = contract?.currency ?? 'HKD'
  const list = contract && (await priceListInForce(db, contract.client_type, momentOf(context).today))
  const prices = list?.content.pdbPrice
  return { currency, ...(prices ? trafficRates(prices, currency) : { free: 0n, price: 0n }) }
}
