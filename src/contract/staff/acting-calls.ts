/** The provider's staff act for a customer, with the consent of the customer's admin (decision 111). */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { integerBetween, line, rowId, timestamp } from '#contract/values.ts'

/** Limits of a consent in hours. */
export const consentHours = { min: 1, max: 24, default: 4 }
export const consentReasonLength = 200

const consentRow = z.object({
  id: z.int(),
  giver_name: z.string(),
  /** Empty if none was given. */
  reason: z.string(),
  /** Whether the staff may also change what `actingChanges` lists. Rows that a device stored in earlier versions do not have it. */
  allows_changes: z.optional(z.boolean()),
  create_time: timestamp,
  until: timestamp,
  state: z.enum(['valid', 'revoked', 'expired']),
  /** When it was revoked, or null. */
  end_time: z.nullable(timestamp),
  /** When staff acted under it, the latest first, at most 20. `end_time` is null if the member did not stop before the consent ended. */
  uses: z.array(z.object({ user_name: z.string(), start_time: timestamp, end_time: z.nullable(timestamp) })),
})
export type ConsentRow = z.output<typeof consentRow>

export const listConsents = defineEndpoint({
  name: 'listConsents',
  method: 'GET',
  path: '/api/m18s/consent',
  summary:
    "Lists the latest 10 consents of the caller's company that the provider's staff act for it, the latest first",
  access: 'admin',
  matrix: 'Z-08',
  output: z.array(consentRow),
  offline: 'read',
})

export const giveConsent = defineEndpoint({
  name: 'giveConsent',
  method: 'POST',
  path: '/api/m18s/consent',
  summary:
    "Allows the provider's staff to act for the caller's company for some hours, read-only unless changes are allowed",
  description:
    'STATE_CONFLICT with `why: "hasConsent"` if a consent of the company is valid. The consent ends early if it is revoked, or if the user who gave it is no longer an active admin.',
  access: 'admin',
  matrix: 'Z-09',
  body: z.object({
    hours: z._default(integerBetween(consentHours.min, consentHours.max), consentHours.default),
    reason: z._default(line(consentReasonLength), ''),
    /** Allows the changes of decision 116: no payments, orders, rights, deletions or exports. */
    allows_changes: z._default(z.boolean(), false),
  }),
  output: consentRow,
  offline: 'online',
  stepUp: () => true,
})

export const revokeConsent = defineEndpoint({
  name: 'revokeConsent',
  method: 'DELETE',
  path: '/api/m18s/consent/:id',
  summary: 'Ends a consent at once. One that has ended stays as it is',
  access: 'admin',
  matrix: 'Z-09',
  params: z.object({ id: rowId }),
  output: consentRow,
  offline: 'online',
})

export const getConsent = defineEndpoint({
  name: 'getConsent',
  method: 'GET',
  path: '/api/customer/:companyId/consent',
  summary: 'Returns the valid consent of a customer, or null in `consent`',
  access: 'providerAdmin',
  matrix: 'Z-17',
  params: z.object({ companyId: rowId }),
  output: z.object({
    consent: z.nullable(z.pick(consentRow, { giver_name: true, reason: true, until: true, allows_changes: true })),
  }),
  offline: 'read',
})

const actingState = z.object({
  company_code: z.string(),
  company_name: z.string(),
  until: timestamp,
  allows_changes: z.boolean(),
})

// These calls change what the session is, like a login. Repeating one must not replay an earlier response, so they bypass the idempotency
// store.
export const startActing = defineEndpoint({
  name: 'startActing',
  method: 'POST',
  path: '/api/customer/:companyId/acting',
  summary:
    'Makes the caller\'s session act for a customer. STATE_CONFLICT with `why: "noConsent"` without a valid consent',
  access: 'providerAdmin',
  matrix: 'Z-17',
  params: z.object({ companyId: rowId }),
  output: actingState,
  offline: 'online',
  secret: true,
})

export const stopActing = defineEndpoint({
  name: 'stopActing',
  method: 'DELETE',
  path: '/api/m18s/acting',
  summary: "Makes the session the caller's own again. Repeating it changes nothing",
  access: 'user',
  matrix: 'Z-02',
  output: null,
  offline: 'online',
  secret: true,
})

/**
 * The calls that a session may use while it acts for a customer: reads of what an admin of the company sees, without payments, secrets,
 * exports, and data of the acting user's own account. Every other call, and every new one, is ACTING_READ_ONLY, except those that a consent
 * with changes adds (`actingChanges`).
 */
export const actingCalls: ReadonlySet<string> = new Set([
  'stopActing',
  'signOut',
  'getUser',
  'getSettings',
  'getCompany',
  'listUsers',
  'listConsents',
  'listNotifications',
  'getOrder',
  'listOrders',
  'getContractHistory',
  'getPriceInForce',
  'getPriceList',
  'listModuleChoices',
  'listModules',
  'listServices',
  'serviceUrl',
  'listInvoices',
  'listBackupOrders',
  'listBackups',
  'getBackupPlan',
  'listTraffic',
  'getTraffic',
  'listTrail',
  'trailActivity',
  'trailCheckpoint',
  'trailRange',
  'trailTile',
  'getAsset',
  'getResource',
])
