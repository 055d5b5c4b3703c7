/** The overview of all money for the provider's finance staff (decision 124). */
import { addMonths } from '#domain/plain-dates.ts'
import { getStartOfDay, type PlainDate } from '#domain/time.ts'
import type { readMoneyOverview } from '#contract/staff/money.ts'
import {
  listCreditBalances,
  type MonthRange,
  sumDisputes,
  sumReceivedByMethod,
  sumReceivedByMonth,
  sumRefunds,
  sumUnmatched,
  sumUnpaidByAge,
} from '#server/db/payments/money-overview.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import type { UseCase } from '#server/context/context.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

const monthCount = 12

function getMonthRange(zone: string, fromDay: PlainDate): MonthRange {
  const untilDay = addMonths(fromDay, 1)
  return {
    month: fromDay.slice(0, 7),
    from: getStartOfDay(zone, fromDay),
    until: getStartOfDay(zone, untilDay),
    fromDay,
    untilDay,
  }
}

export const readOverview: UseCase<typeof readMoneyOverview> = (context) =>
  runAsSystem(context.db, async () => {
    const { db, app, now } = context
    const moment = getBusinessMoment(context)
    const thisMonth = getMonthRange(app.config.timeZone, `${moment.today.slice(0, 7)}-01`)
    const months = Array.from({ length: monthCount }, (_, index) =>
      getMonthRange(app.config.timeZone, addMonths(thisMonth.fromDay, index + 1 - monthCount)),
    )
    return {
      body: {
        month: thisMonth.month,
        received: await sumReceivedByMethod(db, thisMonth),
        months: await sumReceivedByMonth(db, months),
        open: await sumUnpaidByAge(db, moment, now),
        refunds: await sumRefunds(db, thisMonth),
        disputes: await sumDisputes(db),
        unmatched: await sumUnmatched(db),
        credit: await listCreditBalances(db),
      },
    }
  })
