import type { PaymentTask } from '#contract/payments.ts'
import { grouped } from '#domain/money.ts'

export const amountOf = ({ currency, amount }: PaymentTask): string => `${currency} ${grouped(amount)}`
