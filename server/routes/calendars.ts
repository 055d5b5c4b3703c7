/** The calendar of what is due. */
import { endCalendar, getCalendar, readCalendar, renewCalendar } from '#contract/calendars.ts'
import { callerOf } from '#server/http/session.ts'
import { conduct, type Handler } from '#server/routes/handlers.ts'
import * as calendar from '#server/services/calendars.ts'

export const calendars: Handler[] = [
  conduct(getCalendar, async ({ house, visitor }) => ({
    body: await calendar.calendarSince(house, callerOf(visitor)),
  })),

  conduct(renewCalendar, async ({ house, visitor, requestId }) => ({
    body: await calendar.renewCalendar(house, callerOf(visitor), requestId),
  })),

  conduct(endCalendar, async ({ house, visitor, requestId }) => {
    await calendar.endCalendar(house, callerOf(visitor), requestId)
    return { body: null }
  }),

  conduct(readCalendar, async ({ house }, { params }) => ({
    body: Buffer.from(await calendar.readCalendar(house, params.key)),
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'inline; filename="contracts.ics"',
    },
  })),
]
