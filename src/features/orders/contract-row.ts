import type { OutputOf } from '#contract/endpoint.ts'
import type { getContractHistory } from '#contract/orders.ts'

export type ContractRow = OutputOf<typeof getContractHistory>[number]
