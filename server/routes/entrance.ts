/** The public look-up of services. */
import { serviceUrl } from '#contract/visitors.ts'
import { conduct, type Handler } from '#server/routes/handlers.ts'
import { findService } from '#server/services/entrance.ts'

export const entrance: Handler[] = [
  conduct(serviceUrl, async ({ house }, { query }) => ({ body: await findService(house, query.code) })),
]
