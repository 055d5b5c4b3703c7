import { defaultFloodLimits } from '#server/http/flood-limits.ts'
import type { HttpSettings } from '#server/http/http-context.ts'

const many = 1_000_000
const unlimited = { maxConcurrent: Infinity, perSecond: many, burst: many }

/** Limits that tests do not reach although they send everything from one address. */
export const raisedLimits = {
  anonymousPerMinute: many,
  queriesPerMinute: many,
  costlyPerMinute: many,
  writesPerMinute: many,
  floods: {
    ...defaultFloodLimits,
    address: unlimited,
    connectionsPerAddress: 100_000,
    connectionsPerSecond: unlimited,
  },
  userCalls: unlimited,
  companyCalls: unlimited,
  publishesClient: false,
} satisfies Partial<HttpSettings>
