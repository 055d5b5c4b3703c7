import { getLarger, type Hundredths } from '#domain/money.ts'

/** Part of the paid amount that a change does not use and that is not refunded (D14). At least 0. */
export const getDiscardedAmount = (amounts: { contract_amount: Hundredths; residual_amount: Hundredths }): Hundredths =>
  getLarger(amounts.residual_amount - amounts.contract_amount, 0n)
