/** Everything that can be asked, as one list: what the server serves, the worker knows, the tests walk. */
import type { Endpoint } from '#contract/endpoint.ts'
import * as accounts from '#contract/accounts.ts'
import * as users from '#contract/users.ts'

const nouns: Record<string, unknown>[] = [accounts, users]

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'who' in value

export const endpoints: readonly Endpoint[] = nouns.flatMap((noun) => Object.values(noun).filter(isEndpoint))
