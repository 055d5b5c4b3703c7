/** Calendar of due dates. Each user has a secret address, which calendar programs poll. */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { randomId, timestamp } from '#contract/values.ts'

export const getCalendar = defineEndpoint({
  name: 'getCalendar',
  method: 'GET',
  path: '/api/m18s/calendar',
  summary: 'Since when there is an own calendar address; what it is is told once, when it is made',
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
  summary: 'A new calendar address; the former one ends',
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
  summary: 'The own calendar address ends',
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
  summary: 'Ends of contracts and days of payment, as RFC 5545 has them',
  access: 'anybody',
  matrix: 'Z-25',
  params: z.object({ key: randomId }),
  output: z.unknown(),
  offline: 'none',
  secret: true,
  responseType: 'bytes',
})
