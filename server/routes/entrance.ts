import { serviceUrl } from '#contract/public.ts'
import { createProcedureHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import { findService } from '#server/use-cases/hosting/find-service.ts'

export const entranceHandlers: EndpointHandler[] = [
  createProcedureHandler(serviceUrl, async ({ app }, { query }) => ({ body: await findService(app, query.code) })),
]
