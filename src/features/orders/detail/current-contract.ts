import type { OrderRow } from '#contract/orders.ts'

/** Returns whether the order became a contract that has not been replaced. Only this contract has a running service. */
export const isCurrentContract = ({
  contract_id: contractId,
  state,
}: Pick<OrderRow, 'contract_id' | 'state'>): boolean => contractId > 0 && state !== 'overwritten'
