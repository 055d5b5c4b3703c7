import type { OrderRow } from '#contract/orders.ts'

/** Whether the order became a contract that no other has replaced: it is the one with the running service. */
export const isCurrentContract = ({
  contract_id: contractId,
  state,
}: Pick<OrderRow, 'contract_id' | 'state'>): boolean => contractId > 0 && state !== 'overwritten'
