/** The headers that carry the protocol, by name, once. */
export const headers = {
  /** UUID that names one exact request. */
  key: 'idempotency-key',
  /** The first key of the same user intent; left out when it equals the key. */
  intent: 'idempotency-intent',
  /** `done; <idempotency store id>`, `refused; <idempotency store id>` or `refused; schema`: only on final outcomes. */
  outcome: 'idempotency-outcome',
  replayed: 'idempotency-replayed',
  /** `{company id}:{user id}` a write was made by, frozen with it. */
  forUser: 'for-user',
  /** `{company id}:{user id}` an answer was made for. */
  subject: 'x-subject',
  /** Server time of a reading, epoch ms. */
  asOf: 'x-as-of',
  /** Change number of a company's list tables at that reading. */
  change: 'x-change',
  /** How many rows an answer lacks because they could not be shown, and the ids of those that have one. They are not deleted. */
  rowsLeftOut: 'x-rows-left-out',
  leftOutIds: 'x-rows-left-out-ids',
  /** SHA-256 of the newest access token that the device was given, in hex: sent when it renews its session (decision 69). */
  latestAccess: 'x-newest-access',
  requestId: 'x-request-id',
  build: 'x-build',
  /** `queued`: this 202 is the device's own word, not the server's. `refused`, `asks`, `conflict`: where the entry stands. */
  outbox: 'x-outbox',
  /** The device's own answer from what it keeps; X-As-Of says of when. */
  storedResponse: 'x-kept',
  /** Beside `storedResponse`: the server's refusal in whose place it stands, as JSON in percent-encoding. */
  replacedProblem: 'x-kept-problem',
  /** JSON `{from, to}`: it was asked for more days than the device keeps, and its answer is of these; `to` null: up to X-As-Of. */
  storedDays: 'x-kept-days',
  /** From a page to its worker, which may see no cookies; never sent to the server. */
  pageAccess: 'x-page-access',
  /** Marks the pipeline's own requests, so that a worker leaves them alone. */
  pipeline: 'x-pipeline',
  /** The build of the worker whose pipeline answered; without it a worker in control has let the request through. */
  workerBuild: 'x-corridor',
  /** `body`: clients without cookies get the refresh token in the answer. */
  tokenStore: 'x-token-store',
} as const
