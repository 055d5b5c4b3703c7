/** Calendar of due dates. Each user has a secret address, which calendar programs poll. */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { randomId, timestamp } from '#contract/values.ts'

export const getCalendar = defineEndpoint({
  name: 'getCalendar',
  method: 'GET',
  path: '/api/m18s/calendar',
  summary: "Returns when the caller's calendar address was created; the address itself is returned only on creation",
  access: 'order',
  matrix: 'Z-17',
  output: z.object({ since: z.nullable(timestamp) }),
  offline: 'online',
})

/** Secret: anyone who knows the address can read the calendar. */
export const renewCalendar = defineEndpoint({
  name: 'renewCalendar',
  method: 'POST',
  path: '/api/m18s/calendar',
  summary: 'Creates a new calendar address for the caller and invalidates the previous one',
  access: 'order',
  matrix: 'Z-17',
  output: z.object({ url: z.string() }),
  offline: 'online',
  secret: true,
})

export const endCalendar = defineEndpoint({
  name: 'endCalendar',
  method: 'DELETE',
  path: '/api/m18s/calendar',
  summary: "Deletes the caller's calendar address",
  access: 'order',
  matrix: 'Z-17',
  output: null,
  offline: 'online',
  secret: true,
})

export const readCalendar = defineEndpoint({
  name: 'readCalendar',
  method: 'GET',
  path: '/public/calendar/:key/contracts.ics',
  summary: 'Returns the ends of contracts and the payment dates as a calendar file (RFC 5545)',
  access: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'none',
  secret: true,
  responseType: 'bytes',
})
