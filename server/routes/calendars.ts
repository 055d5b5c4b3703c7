/** The calendar of what is due. */
import { endCalendar, getCalendar, readCalendar, renewCalendar } from '#contract/calendars.ts'
import { requireCaller } from '#server/http/authenticate.ts'
import { procedureHandler, type Handler } from '#server/http/route-handler.ts'
import * as calendar from '#server/use-cases/orders/calendars.ts'

export const calendars: Handler[] = [
  procedureHandler(getCalendar, async ({ app, principal }) => ({
    body: await calendar.calendarSince(app, requireCaller(principal)),
  })),

  procedureHandler(renewCalendar, async ({ app, principal, requestId }) => ({
    body: await calendar.renewCalendar(app, requireCaller(principal), requestId),
  })),

  procedureHandler(endCalendar, async ({ app, principal, requestId }) => {
    await calendar.endCalendar(app, requireCaller(principal), requestId)
    return { body: null }
  }),

  procedureHandler(readCalendar, async ({ app }, { params }) => ({
    body: Buffer.from(await calendar.readCalendar(app, params.key)),
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'inline; filename="contracts.ics"',
    },
  })),
]
