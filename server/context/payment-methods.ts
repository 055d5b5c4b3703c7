import type { BankAccount } from '#contract/invoices.ts'
import type { PaymentType } from '#domain/payments.ts'
import type { PaymentDriver } from '#server/drivers/payment/payment-driver.ts'

export interface PaymentMethods {
  findDriver(type: PaymentType): Promise<PaymentDriver | null>
  /** Publishable key for Stripe's card fields, sent in `settings.payment`. Null if Stripe has no keys. */
  stripeKey: string | null
  /** Address of the demo sandbox's page with card fields, used in place of Stripe's. Null without the sandbox. */
  cardFrame: string | null
  types: readonly PaymentType[]
  /** The provider's accounts for bank transfers, at most one per currency. */
  bankAccounts: readonly BankAccount[]
  /** Maximum number of payments that one user may start in ten minutes (S-25). */
  maxPaymentsPerUser: number
  close(): Promise<void>
}

export const noPaymentMethods: PaymentMethods = {
  findDriver: async () => null,
  stripeKey: null,
  cardFrame: null,
  types: [],
  bankAccounts: [],
  maxPaymentsPerUser: 0,
  close: async () => undefined,
}
