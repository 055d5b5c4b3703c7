import type { PaymentTask } from '#contract/payments.ts'
import { groupThousands } from '#domain/money.ts'

export const formatTaskAmount = ({ currency, amount }: PaymentTask): string => `${currency} ${groupThousands(amount)}`
