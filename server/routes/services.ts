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
import { checkPermission, requireCaller } from '#server/http/authenticate.ts'
import {
  type EndpointHandler,
  createListHandler,
  createProcedureHandler,
  type RequestContext,
  createUseCaseHandler,
} from '#server/http/route-handler.ts'
import { createTicketRequest } from '#server/http/ticket-request.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import * as operations from '#server/use-cases/hosting/service-operations.ts'
import { serviceList } from '#server/use-cases/hosting/service-rows.ts'
import { requestLogDownload, openLogDownload, readLog } from '#server/use-cases/hosting/service-logs.ts'
import { checkTicket } from '#server/use-cases/tickets.ts'
import { revealServicePassword } from '#server/use-cases/hosting/service-passwords.ts'

const toHostingContext = ({ app, principal, requestId, now, isStopped }: RequestContext) => ({
  app,
  caller: requireCaller(principal),
  sessionId: principal.sessionId,
  requestId,
  now,
  isStopped,
})

const logType = { 'content-type': 'text/plain; charset=utf-8' }

export const serviceHandlers: EndpointHandler[] = [
  createListHandler(listServices, serviceList),
  createUseCaseHandler(createService, operations.createService),
  createUseCaseHandler(updateService, operations.updateService),
  createUseCaseHandler(removeService, operations.removeService),
  createUseCaseHandler(deleteService, operations.eraseService),
  createUseCaseHandler(resetServicePassword, operations.resetServicePassword),
  createUseCaseHandler(rebootService, operations.rebootService),
  createUseCaseHandler(configureService, operations.configureService),
  createUseCaseHandler(takeServicePassword, revealServicePassword),
  createProcedureHandler(readServiceLog, async (context, input) => ({
    body: await readLog(toHostingContext(context), input),
  })),
  createProcedureHandler(requestLog, async (context, input) => ({
    body: await requestLogDownload(toHostingContext(context), input),
  })),
  createProcedureHandler(
    downloadLog,
    async (context, input) => {
      const { name, pieces } = await openLogDownload(
        { ...createTicketRequest(context), isStopped: context.isStopped },
        input,
      )
      return { body: pieces, headers: { ...logType, 'content-disposition': `attachment; filename="${name}"` } }
    },
    {
      async head({ app }, { params }) {
        await checkTicket(app, 'log', params.key)
        return { headers: logType }
      },
    },
  ),
  // Here `companyId` only narrows the list of services. It does not name a row to write.
  createProcedureHandler(recheckServices, async ({ app, principal }, { query: { companyId } }) => {
    checkPermission(recheckServices, principal)
    return { body: await checkServices(app, typeof companyId === 'number' ? companyId : null) }
  }),
]
