/** Hosted services. */
import {
  configureService,
  createService,
  deleteService,
  downloadLog,
  listServices,
  readServiceLog,
  rebootService,
  recheckServices,
  removeService,
  requestLog,
  resetServicePassword,
  takeServicePassword,
  updateService,
} from '#contract/services.ts'
import { permit, requireCaller } from '#server/http/authenticate.ts'
import {
  type Handler,
  listHandler,
  procedureHandler,
  type RequestContext,
  useCaseHandler,
} from '#server/http/route-handler.ts'
import { ticketRequestOf } from '#server/http/ticket-request.ts'
import { lookAfterServices } from '#server/use-cases/hosting/look-after.ts'
import * as operations from '#server/use-cases/hosting/operations.ts'
import { list } from '#server/use-cases/hosting/service-rows.ts'
import { askForLog, openLog, readLog } from '#server/use-cases/hosting/service-logs.ts'
import { checkTicket } from '#server/use-cases/tickets.ts'
import { take } from '#server/use-cases/hosting/service-passwords.ts'

const visitOf = ({ app, principal, requestId, now, stopped }: RequestContext) => ({
  app,
  caller: requireCaller(principal),
  sessionId: principal.sessionId,
  requestId,
  now,
  stopped,
})

const logType = { 'content-type': 'text/plain; charset=utf-8' }

export const services: Handler[] = [
  listHandler(listServices, list),
  useCaseHandler(createService, operations.create),
  useCaseHandler(updateService, operations.update),
  useCaseHandler(removeService, operations.remove),
  useCaseHandler(deleteService, operations.erase),
  useCaseHandler(resetServicePassword, operations.resetPassword),
  useCaseHandler(rebootService, operations.reboot),
  useCaseHandler(configureService, operations.configure),
  useCaseHandler(takeServicePassword, take),
  procedureHandler(readServiceLog, async (visit, input) => ({ body: await readLog(visitOf(visit), input) })),
  procedureHandler(requestLog, async (visit, input) => ({ body: await askForLog(visitOf(visit), input) })),
  procedureHandler(
    downloadLog,
    async (visit, input) => {
      const { name, pieces } = await openLog({ ...ticketRequestOf(visit), stopped: visit.stopped }, input)
      return { body: pieces, headers: { ...logType, 'content-disposition': `attachment; filename="${name}"` } }
    },
    {
      async head({ app }, { params }) {
        await checkTicket(app, 'log', params.key)
        return { headers: logType }
      },
    },
  ),
  // The id of a company: what a list is narrowed by, and not a row that is written.
  procedureHandler(recheckServices, async ({ app, principal }, { query: { companyId } }) => {
    permit(recheckServices, principal)
    return { body: await lookAfterServices(app, typeof companyId === 'number' ? companyId : null) }
  }),
]
