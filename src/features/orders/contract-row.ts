import type { OutputOf } from '#contract/endpoint.ts'
import type { getContractHistory } from '#contract/orders.ts'

/** One contract of an order's history. */
export type ContractRow = OutputOf<typeof getContractHistory>[number]
