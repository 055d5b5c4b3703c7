export const headers = {
  key: 'idempotency-key',
  /** The first key of the same user intent. Omitted if it equals the key. */
  intent: 'idempotency-intent',
  /** `done; <store id>`, `refused; <store id>` or `refused; schema`. Sent only with final outcomes. */
  outcome: 'idempotency-outcome',
  replayed: 'idempotency-replayed',
  /** `{company id}:{user id}` of the user who made the write. It never changes after that. */
  forUser: 'for-user',
  /** `{company id}:{user id}` of the user that the response is for. */
  subject: 'x-subject',
  /** Sent with `subject` while the provider's staff act for a customer: the end of the consent in epoch ms (decision 111). */
  actingUntil: 'x-acting',
  /** Server time at which the data was read, in epoch ms. */
  asOf: 'x-as-of',
  /** Change number of the company's list tables at that time. */
  change: 'x-change',
  /**
   * `rowsLeftOut`: number of rows that could not be included in the response. `leftOutIds`: ids of those rows that have an id. The rows
   * still exist.
   */
  rowsLeftOut: 'x-rows-left-out',
  leftOutIds: 'x-rows-left-out-ids',
  /** SHA-256 (hex) of the device's latest access token, sent when it renews its session (decision 69). */
  latestAccess: 'x-newest-access',
  /** Number of seconds that a write has waited on the device, if at least a minute. A refusal of such a write is a notification. */
  waited: 'x-waited',
  requestId: 'x-request-id',
  build: 'x-build',
  /** `queued`: the device sent this 202, not the server. Other values are the state of the outbox entry. */
  outbox: 'x-outbox',
  /** The device responded from its stored rows. X-As-Of has their time. */
  storedResponse: 'x-kept',
  /** Sent with `storedResponse`: the server's refusal that this response replaces, as percent-encoded JSON. */
  replacedProblem: 'x-kept-problem',
  /** JSON `{from, to}`: the days of this response, if the device does not store all requested days. */
  storedDays: 'x-kept-days',
  /** Sent from a page to its worker, which may be unable to read cookies. Never sent to the server. */
  pageAccess: 'x-page-access',
  /** Marks the pipeline's own requests, so that a worker ignores them. */
  pipeline: 'x-pipeline',
  /** Build of the worker whose pipeline responded. Missing if the controlling worker did not handle the request. */
  workerBuild: 'x-corridor',
  /** `body`: returns the refresh token in the body, for clients without cookies. */
  tokenStore: 'x-token-store',
} as const
