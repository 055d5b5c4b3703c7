import { getLarger, type Hundredths } from '#domain/money.ts'

/** What was paid and is not refunded: what a change leaves unused of the time that is paid (D14). 0: nothing is lost. */
export const getDiscardedAmount = (amounts: { contract_amount: Hundredths; residual_amount: Hundredths }): Hundredths =>
  getLarger(amounts.residual_amount - amounts.contract_amount, 0n)
