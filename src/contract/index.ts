/** Everything that can be asked, as one list: what the server serves, the worker knows, the tests walk. */
import type { Endpoint } from '#contract/endpoint.ts'
import * as accounts from '#contract/accounts.ts'
import * as apps from '#contract/apps.ts'
import * as backups from '#contract/backups.ts'
import * as modules from '#contract/modules.ts'
import * as orders from '#contract/orders.ts'
import * as payments from '#contract/payments.ts'
import * as prices from '#contract/prices.ts'
import * as services from '#contract/services.ts'
import * as trail from '#contract/trail.ts'
import * as users from '#contract/users.ts'

const nouns: Record<string, unknown>[] = [
  accounts,
  users,
  orders,
  prices,
  payments,
  services,
  backups,
  trail,
  apps,
  modules,
]

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'who' in value

export const endpoints: readonly Endpoint[] = nouns.flatMap((noun) => Object.values(noun).filter(isEndpoint))
