/** Lets the provider's admins suspend and resume backups that cause traffic. While a month is overdue, the backups stay suspended (D31). */
import type { disableTraffic } from '#contract/backups.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { UseCase } from '#server/context/context.ts'
import { runForService } from '#server/use-cases/hosting/run-for-service.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { settleSuspension } from '#server/use-cases/hosting/traffic/suspension.ts'

/** Throws NOT_FOUND if the caller may not act on the service. */
export const setTrafficDisabled: UseCase<typeof disableTraffic> = (
  context,
  { params, body: { disabled: shouldDisable } },
) =>
  runForService(context, params.serviceId, async (row, { info, log }) => {
    const { app, db } = context
    const { company_id: companyId, id: serviceId, code } = row
    // The company's counter is locked before the services' counter, in the same order as in transactions of orders.
    await takeChangeNumber(db, companyId)
    const isDisabled = await settleSuspension(context, { companyId, serviceId }, shouldDisable)
    context.afterCommit(() => announceServices(app, companyId))
    await context.audit({
      code: 'backup',
      operation: shouldDisable ? 'disable' : 'enable',
      info: { ServiceCode: code, ...info },
      changes: [{ field: 'traffic_disabled', before: row.traffic_disabled, after: isDisabled }].filter(
        ({ before, after }) => before !== after,
      ),
      ...log,
    })
    return { body: { traffic_disabled: isDisabled } }
  })
