import { describe, expect, it } from 'vitest'
import type { BankTransferRow, PayableItem, TransferProposal } from '#contract/staff/bank-transfers.ts'
import { calculateCreditSum, findProposal, getProposedKeys } from '#features/money/transfers/credit-sum.ts'

const item: PayableItem = {
  contractType: 'PDBORDER',
  id: 7,
  type: 'pdb2s3',
  service_code: 'acmetrade',
  currency: 'HKD',
  amount: '70.00',
  due: null,
}
const proposal: TransferProposal = {
  match: 'reference',
  company_id: 3,
  company_code: 'acme',
  company_name: 'Acme',
  proforma_code: null,
  items: [item],
}
const transfer = { amount: '100.00', proposals: [proposal] } as Pick<BankTransferRow, 'amount' | 'proposals'>

describe('what a transfer pays', () => {
  it('adds the credit of the company and takes away the selected items', () => {
    expect(calculateCreditSum(transfer, 500n, [item])).toEqual({
      transfer: 10_000n,
      balance: 500n,
      items: 7_000n,
      rest: 3_500n,
    })
    expect(calculateCreditSum(transfer, 0n, [item, item]).rest).toBe(-4_000n)
  })

  it('selects the items of the proposal for the chosen company, and none for another', () => {
    expect(findProposal(transfer, 3)).toBe(proposal)
    expect(getProposedKeys(transfer, 3)).toEqual(['PDBORDER-7'])
    expect([getProposedKeys(transfer, 4), getProposedKeys(transfer, null)]).toEqual([[], []])
  })
})
