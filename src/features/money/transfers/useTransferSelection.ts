import { useState } from 'react'
import { type BankTransferRow, listPayableItems } from '#contract/staff/bank-transfers.ts'
import { readAmount } from '#domain/money.ts'
import { useRetriedResponse } from '#state/use-server-response.ts'
import {
  calculateCreditSum,
  type CreditSum,
  formatItemKey,
  getProposedKeys,
} from '#features/money/transfers/credit-sum.ts'

export type TransferSelection = ReturnType<typeof useTransferSelection>

/** The company that gets the money of a transfer, and the items that are paid with it. Those of the best proposal are selected at first. */
export function useTransferSelection(transfer: BankTransferRow) {
  const { currency } = transfer
  const [companyId, setCompanyId] = useState(transfer.proposals[0]?.company_id ?? null)
  const [keys, setKeys] = useState<readonly string[]>(() => getProposedKeys(transfer, companyId))
  const input = companyId === null ? null : { params: { id: companyId } }
  const { response: result, retry } = useRetriedResponse(listPayableItems, input)
  const payable = result?.kind === 'fresh' ? result.output : null
  const items = (payable?.items ?? []).filter((item) => item.currency === currency)
  const selectedItems = items.filter((item) => keys.includes(formatItemKey(item)))
  const credit = payable?.credit.find((row) => row.currency === currency)
  const sum = calculateCreditSum(transfer, readAmount(credit?.balance ?? '0.00'), selectedItems)
  return {
    companyId,
    /** Null until it is loaded. If loading failed, `problem` has the reason. */
    payable,
    problem: result?.kind === 'problem' ? result.problem : null,
    retry,
    /** What the company can pay in the currency of the transfer. */
    items,
    selectedItems,
    keys,
    setKeys,
    sum,
    /** Open payments hold a part of the credit. Only the server knows whether they pay the same items. */
    isHeld: credit !== undefined && credit.available !== credit.balance,
    /** Why it cannot be sent. Null if it can. */
    blockReason: getBlockReason(companyId !== null && payable === null, sum),
    chooseCompany(id: number | null) {
      setCompanyId(id)
      setKeys(getProposedKeys(transfer, id))
    },
  }
}

function getBlockReason(isLoading: boolean, { rest }: CreditSum): 'loading' | 'tooFew' | null {
  if (isLoading) return 'loading'
  return rest < 0n ? 'tooFew' : null
}
