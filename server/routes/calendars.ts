import { endCalendar, getCalendar, readCalendar, renewCalendar } from '#contract/calendars.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { createProcedureHandler, type EndpointHandler } from '#server/http/route-handler.ts'
import * as calendar from '#server/use-cases/orders/calendars.ts'

export const calendarHandlers: EndpointHandler[] = [
  createProcedureHandler(getCalendar, async ({ app, principal }) => ({
    body: await calendar.readCalendarState(app, requireCaller(principal)),
  })),

  createProcedureHandler(renewCalendar, async ({ app, principal, requestId }) => ({
    body: await calendar.renewCalendar(app, requireCaller(principal), requestId),
  })),

  createProcedureHandler(endCalendar, async ({ app, principal, requestId }) => {
    await calendar.endCalendar(app, requireCaller(principal), requestId)
    return { body: null }
  }),

  createProcedureHandler(readCalendar, async ({ app }, { params }) => ({
    body: Buffer.from(await calendar.readCalendar(app, params.key)),
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'inline; filename="contracts.ics"',
    },
  })),
]
